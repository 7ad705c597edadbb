// Asks the system how much memory this process can still allocate.
#include <pelt/core/memory.h>
#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pelt {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

// Without streams of C++, which are a tenth of the WebAssembly build.
std::vector<std::string> linesOf(const std::string& path) {
    std::vector<std::string> lines;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
    char* text = nullptr;
    std::size_t room = 0;
    while (file && ::getline(&text, &room, file.get()) >= 0) lines.emplace_back(text, std::strcspn(text, "\n"));
    std::free(text);
    return lines;
}

std::optional<std::uint64_t> numberAt(const std::string& line, std::size_t at) {
    std::uint64_t number = 0;
    return std::sscanf(line.c_str() + at, "%" SCNu64, &number) == 1 ? std::optional(number) : std::nullopt;
}

/// The number after a word at the start of a line: "MemAvailable: 123 kB", "inactive_file 123".
std::optional<std::uint64_t> numberAfter(const std::string& path, std::string_view word) {
    for (const std::string& line : linesOf(path))
        if (line.starts_with(word) && line.size() > word.size() && std::isspace(line[word.size()]))
            return numberAt(line, word.size());
    return std::nullopt;
}

std::optional<std::uint64_t> numberIn(const std::string& path) {
    const std::vector<std::string> lines = linesOf(path);
    return lines.empty() ? std::nullopt : numberAt(lines[0], 0);  // "max" is not a number
}

std::uint64_t leftOf(std::uint64_t limit, std::uint64_t used) { return limit - std::min(limit, used); }

std::uint64_t freeOnTheMachine() {
    const auto available = numberAfter("/proc/meminfo", "MemAvailable:");
    if (!available) return kUnknown;
    return (*available + numberAfter("/proc/meminfo", "SwapFree:").value_or(0)) * 1024;
}

/// Free memory of one control group. Its usage includes the page cache, which the kernel can reclaim.
std::uint64_t freeInGroup(const std::string& folder, const char* limit_name, const char* use_name) {
    const auto limit = numberIn(folder + "/" + limit_name);
    if (!limit) return kUnknown;
    std::uint64_t used = numberIn(folder + "/" + use_name).value_or(0);
    for (const char* pages : {"inactive_file", "active_file"})
        used = leftOf(used, numberAfter(folder + "/memory.stat", pages).value_or(0));
    return leftOf(*limit, used);
}

/// The limit of a group applies to all groups below it, so the minimum along the path counts. In a container the path
/// is usually that of the host, and the container's own group is at the root of its view.
std::uint64_t freeInGroups(const std::string& root, std::string path, const char* limit_name, const char* use_name) {
    std::uint64_t least = freeInGroup(root, limit_name, use_name);
    while (path.size() > 1) {
        least = std::min(least, freeInGroup(root + path, limit_name, use_name));
        path.resize(path.find_last_of('/'));
    }
    return least;
}

/// Lines of /proc/self/cgroup are "number:controllers:path"; version 2 has no controllers there.
std::uint64_t freeInControlGroup() {
    std::uint64_t least = kUnknown;
    for (const std::string& line : linesOf("/proc/self/cgroup")) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
        if (controllers.empty())
            least = std::min(least, freeInGroups("/sys/fs/cgroup", path, "memory.max", "memory.current"));
        else if (controllers == "memory")
            least = std::min(
                least, freeInGroups("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes", "memory.usage_in_bytes"));
    }
    return least;
}

template <class Resource>  // an int, or the type that the C library uses instead
std::uint64_t freeUnderLimit(Resource resource, const char* use_name) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnknown;
    return leftOf(limit.rlim_cur, numberAfter("/proc/self/status", use_name).value_or(0) * 1024);
}

}  // namespace

std::uint64_t availableMemory() {
    return std::min({freeOnTheMachine(), freeInControlGroup(), freeUnderLimit(RLIMIT_AS, "VmSize:"),
                     freeUnderLimit(RLIMIT_DATA, "VmData:")});
}

}  // namespace pelt
