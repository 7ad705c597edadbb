#pragma once

#include <cstddef>
#include <functional>

namespace pelt {

/// How many threads parallelFor may use from now on; 0: as many as the machine has. Call it between jobs, not during
/// one.
void setThreadCount(int threads);
int threadCount();

/// Calls `body(first, last)` on disjoint ranges that cover [0, count). The cuts are multiples of `grain` and do not
/// depend on the number of threads, so that results which are combined per range are the same bytes everywhere.
/// An exception of the body is rethrown here. The build option PELT_SERIAL makes this a plain loop.
void parallelFor(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace pelt
