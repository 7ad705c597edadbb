#include <pelt/core/parallel.h>

#include <algorithm>

#ifndef PELT_SERIAL
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>
#include <mutex>
#endif

namespace pelt {

#ifdef PELT_SERIAL

void setThreadCount(int) {}
int threadCount() { return 1; }

void parallelFor(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) {
    grain = std::max<std::size_t>(grain, 1);
    for (std::size_t first = 0; first < count; first += grain) body(first, std::min(count, first + grain));
}

#else

namespace {

std::mutex limit_mutex;
std::unique_ptr<tbb::global_control> limit;

}  // namespace

void setThreadCount(int threads) {
    const std::lock_guard lock(limit_mutex);
    limit.reset();
    if (threads > 0)
        limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                      static_cast<std::size_t>(threads));
}

int threadCount() {
    return static_cast<int>(
        std::min<std::size_t>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism),
                              static_cast<std::size_t>(tbb::this_task_arena::max_concurrency())));
}

void parallelFor(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) {
    if (count == 0) return;
    grain = std::max<std::size_t>(grain, 1);
    const std::size_t ranges = (count + grain - 1) / grain;
    if (ranges == 1) return body(0, count);
    tbb::parallel_for(std::size_t(0), ranges,
                      [&](std::size_t range) { body(range * grain, std::min(count, (range + 1) * grain)); });
}

#endif

}  // namespace pelt
