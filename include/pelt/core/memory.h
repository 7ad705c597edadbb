#pragma once

#include <cstdint>

namespace pelt {

/// Bytes that this process can still allocate: the minimum of the machine's free memory (including swap), the limit of
/// its control group and its own limits (RLIMIT_AS, RLIMIT_DATA). The largest possible number if none of these is
/// known.
std::uint64_t availableMemory();

}  // namespace pelt
