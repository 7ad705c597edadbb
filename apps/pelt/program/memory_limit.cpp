// Limits the program to the memory that is free when it starts.
#include "program/memory_limit.h"

#include <pelt/core/memory.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <thread>

namespace pelt::program {

void limitMemory() {
#if defined(RLIMIT_DATA) && !defined(PELT_SANITIZED)
    constexpr std::uint64_t kProgram = std::uint64_t(64) << 20;  // maximum of what is already in use
    constexpr std::uint64_t kStack = std::uint64_t(8) << 20;     // of a thread, reserved but hardly used
    const std::uint64_t free = availableMemory();
    if (free > std::numeric_limits<std::int64_t>::max()) return;
    rlimit limit{};
    if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, free + kProgram + kStack * std::thread::hardware_concurrency());
    ::setrlimit(RLIMIT_DATA, &limit);
#endif
}

}  // namespace pelt::program
