#pragma once

#include <cstddef>
#include <functional>

namespace pelt {

/// Sets how many threads parallelFor may use; 0: as many as the machine has. Do not call it while parallelFor runs.
void setThreadCount(int threads);
int threadCount();

/// Runs `work` on the calling thread; parallelFor inside it uses at most `threads` threads, whatever other callers do.
/// 0: no limit of its own.
void withThreads(int threads, const std::function<void()>& work);

/// Calls `body(first, last)` on disjoint ranges that cover [0, count). The bounds of the ranges are multiples of
/// `grain` and do not depend on the number of threads, so that results combined per range have the same bytes
/// everywhere. An exception thrown by the body is rethrown here. The build option PELT_SERIAL makes this a plain loop.
void parallelFor(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body);

/// The usual grains: of vertices that are posed or copied, and of those whose weights, rotation or neighbor is searched
/// for. Where a result is combined per range, its grain is a constant of its own.
inline constexpr std::size_t kVertexGrain = 2048, kSolveGrain = 64;

}  // namespace pelt
