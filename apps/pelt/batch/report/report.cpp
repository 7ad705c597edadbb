// The report of a run: a JSON object per item, and a summary for people.
#include "batch/report/report.h"

#include <fmt/format.h>
#include <pelt/io/atomic_file.h>

#include <algorithm>

#include "verbs/run/text.h"

namespace pelt::batch {
namespace {

constexpr std::size_t kMostLines = 20;  ///< of items that are not done

}  // namespace

int Totals::exitStatus() const {
    if (failed + timeout > 0) return 1;
    if (bad_input > 0) return 3;
    return gate > 0 ? 4 : 0;
}

Totals totalsOf(const Plan& plan, const Results& results) {
    Totals totals;
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
        if (plan.items[i].picture) continue;
        const Record& record = results.records[i];
        ++totals.items;
        totals.before += results.done_before[i] && record.done();
        totals.done += record.done();
        totals.bad_input += record.status == "bad_input";
        totals.gate += record.status == "gate";
        totals.failed += record.status == "failed";
        totals.timeout += record.status == "timeout";
        totals.skipped += record.status == "skipped";
        totals.seconds += record.seconds;
        totals.cpu_seconds += record.cpu_seconds;
        totals.peak_bytes = std::max(totals.peak_bytes, record.peak_bytes);
    }
    return totals;
}

void writeReport(const Plan& plan, const Results& results, const std::filesystem::path& path) {
    io::AtomicFile file(path);
    for (std::size_t i = 0; i < plan.items.size(); ++i)
        if (!plan.items[i].picture)
            file.write(reportLine(results.records[i]).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
    file.commit();
}

std::string countsOf(const Totals& totals) {
    std::string text = fmt::format("{}: {} done", verbs::counted(totals.items, "item", "items"), totals.done);
    if (totals.before > 0) text += fmt::format(" ({} before)", totals.before);
    const std::pair<std::size_t, const char*> kinds[] = {{totals.bad_input, "bad input"},
                                                         {totals.gate, "missed a gate"},
                                                         {totals.failed, "failed"},
                                                         {totals.timeout, "timed out"},
                                                         {totals.skipped, "skipped"}};
    for (const auto& [count, kind] : kinds)
        if (count > 0) text += fmt::format(", {} {}", count, kind);
    return text;
}

std::string describeTotals(const Plan& plan, const Results& results, const Totals& totals, double wall_seconds) {
    std::string text;
    std::size_t lines = 0;
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
        const Record& record = results.records[i];
        if (record.done() || plan.items[i].picture || ++lines > kMostLines) continue;
        text += fmt::format("  {}: {}: {}\n", verbs::oneLine(record.id), record.status, verbs::oneLine(record.error));
    }
    if (lines > kMostLines) text += fmt::format("  and {} more\n", lines - kMostLines);
    return text + fmt::format("{}; {:.1f} s, {:.1f} s of CPU for all of them, at most {:.0f} MB each\n",
                              countsOf(totals), wall_seconds, totals.cpu_seconds, double(totals.peak_bytes) / 1e6);
}

Json totalsJson(const Totals& totals) {
    return {{"items", totals.items},          {"done", totals.done},       {"done_before", totals.before},
            {"bad_input", totals.bad_input},  {"gate", totals.gate},       {"failed", totals.failed},
            {"timeout", totals.timeout},      {"skipped", totals.skipped}, {"cpu_seconds", totals.cpu_seconds},
            {"peak_bytes", totals.peak_bytes}};
}

}  // namespace pelt::batch
