// Asks the system how much memory this process can still allocate.
#include <pelt/core/memory.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

namespace pelt {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

/// The number after a word at the start of a line: "MemAvailable: 123 kB", "inactive_file 123".
std::optional<std::uint64_t> numberAfter(const std::string& path, const std::string& word) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::uint64_t number = 0;
        std::istringstream words(line);
        std::string first;
        if (words >> first >> number && first == word) return number;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> numberIn(const std::string& path) {
    std::ifstream file(path);
    std::uint64_t number = 0;
    return file >> number ? std::optional(number) : std::nullopt;  // "max" is not a number
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
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
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
