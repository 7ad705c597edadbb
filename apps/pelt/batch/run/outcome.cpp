#include "outcome.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>

#include "../text.h"
#include "arguments.h"

namespace pelt::batch {
namespace {

namespace fs = std::filesystem;

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
    return cli::oneLine(last);
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

/// NAME.0123456789abcdef.tmp, as io::AtomicFile calls them.
bool isTemporaryName(const std::string& name) {
    constexpr std::size_t kDigits = 16;
    constexpr std::string_view kSuffix = ".tmp";
    if (name.size() < kDigits + kSuffix.size() + 2) return false;
    const std::size_t digits = name.size() - kSuffix.size() - kDigits;
    return name.substr(name.size() - kSuffix.size()) == kSuffix && name[digits - 1] == '.' &&
           name.find_first_not_of("0123456789abcdef", digits) == name.size() - kSuffix.size();
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
        // pelt lod writes several files into its folder.
        const bool inside = item.argv[0] == "lod" && item.argv.size() > 1 && fs::is_directory(target, fault);
        const std::string prefix =
            inside ? fs::path(item.argv[1]).stem().string() + "_lod" : target.filename().string() + ".";
        const fs::path searched = inside ? target : target.parent_path();
        for (fs::directory_iterator it(searched, fault), end; !fault && it != end; it.increment(fault)) {
            const std::string name = it->path().filename().string();
            std::error_code ignored;
            if (name.rfind(prefix, 0) == 0 && isTemporaryName(name)) fs::remove_all(it->path(), ignored);
        }
    }
}

}  // namespace pelt::batch
