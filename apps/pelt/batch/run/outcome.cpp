// How the end of a process becomes the record of an item.
#include "batch/run/outcome.h"

#include <fmt/format.h>
#include <pelt/io/atomic_file.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>

#include "batch/plan/arguments.h"
#include "verbs/run/text.h"

namespace pelt::batch {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLevels = 16;  ///< of detail whose temporary files are looked for

/// The line of standard error that says why a verb failed, without "pelt: ".
std::string errorLine(const std::string& err) {
    constexpr std::string_view kPrefix = "pelt: ";
    std::string last;
    for (std::size_t at = 0; at < err.size();) {
        const std::size_t end = std::min(err.find('\n', at), err.size());
        std::string line = err.substr(at, end - at);
        if (line.rfind(kPrefix, 0) == 0) line.erase(0, kPrefix.size());
        if (!line.empty() && line.rfind("warning: ", 0) != 0) last = line;
        at = end + 1;
    }
    return verbs::oneLine(last);
}

/// A child is at least as large as this process was when it started it, for the kernel. If that is all, its own
/// measurement counts.
std::uint64_t peakOf(const ChildResult& result, const Json& json) {
    rusage own{};
    ::getrusage(RUSAGE_SELF, &own);
    std::uint64_t measured = 0;
    if (json.is_object() && json.contains("stages"))
        for (const auto& stage : json["stages"])
            measured = std::max(measured, stage.value("peak_bytes", std::uint64_t(0)));
    const bool inherited = result.peak_bytes <= std::uint64_t(own.ru_maxrss) * 1024;
    return inherited && measured > 0 ? measured : result.peak_bytes;
}

}  // namespace

void describe(const ChildResult& result, double stopped_after, Record& record) {
    const bool timed_out = stopped_after > 0 && result.exit_code != 0;
    record.json = Json::parse(result.out, nullptr, false);
    if (record.json.is_discarded()) record.json = nullptr;
    record.exit_code = timed_out ? 124 : result.exit_code;  // as timeout(1) does
    record.seconds = result.seconds;
    record.cpu_seconds = result.cpu_seconds;
    record.peak_bytes = peakOf(result, record.json);
    if (timed_out) {
        record.status = "timeout";
        record.error = fmt::format("stopped after {:g} s", stopped_after);
        return;
    }
    switch (result.exit_code) {
        case 0:
            record.status = "done";
            return;
        case 2:  // whatever the data, these arguments never work
        case 3:
            record.status = "bad_input";
            break;
        case 4:
            record.status = "gate";
            break;
        default:
            record.status = "failed";
    }
    record.error = errorLine(result.err);
    if (result.signal != 0)
        record.error = fmt::format("ended by signal {} ({})", result.signal, ::strsignal(result.signal));
}

std::vector<std::string> writtenFiles(const Item& item, const fs::path& folder, const Json& report) {
    std::vector<std::string> files;
    std::error_code fault;
    for (const fs::path& output : outputsOf(item.argv))
        if (fs::exists(folder / output, fault)) files.push_back(output.string());
    if (!report.is_object() || !report.contains("levels") || !report["levels"].is_array()) return files;
    for (const Json& level : report["levels"])  // of pelt lod
        if (level.is_object() && level.contains("file") && level["file"].is_string()) files.push_back(level["file"]);
    return files;
}

void removeTemporaries(const Item& item, const fs::path& folder) {
    std::error_code fault;
    for (const fs::path& output : outputsOf(item.argv)) {
        const fs::path target = folder / output;
        io::removeLeftTemporaries(target.has_filename() ? target : target.parent_path());
        // pelt lod writes several files into its folder.
        if (item.argv[0] != "lod" || item.argv.size() < 2 || !fs::is_directory(target, fault)) continue;
        const std::string stem = fs::path(item.argv[1]).stem().string();
        for (int level = 1; level <= kMostLevels; ++level)
            io::removeLeftTemporaries(target / fmt::format("{}_lod{}.glb", stem, level));
    }
}

}  // namespace pelt::batch
