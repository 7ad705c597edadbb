#pragma once

#include <cstdint>

namespace pelt {

/// Bytes that this process can still take: what the machine has free (with its swap space), what its control group
/// leaves it, and what its own limits (RLIMIT_AS, RLIMIT_DATA) do, whichever is least. The largest number there is
/// where nobody knows.
std::uint64_t availableMemory();

}  // namespace pelt
