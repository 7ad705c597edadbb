#include <pelt/core/parallel.h>

#include <algorithm>

#ifndef PELT_SERIAL
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>
#include <mutex>
#endif

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PELT_THREAD_SANITIZER
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);
#endif
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

// Debian's libtbb is not built for the thread sanitizer, which therefore cannot see that it orders what the caller did
// before the bodies, and the bodies before the return. These marks say so; in other builds they are nothing.
#ifdef PELT_THREAD_SANITIZER
void passOn(void* token) { __tsan_release(token); }
void takeOver(void* token) { __tsan_acquire(token); }
#else
void passOn(void*) {}
void takeOver(void*) {}
#endif

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
    char begun = 0, done = 0;
    passOn(&begun);
    tbb::parallel_for(std::size_t(0), ranges, [&](std::size_t range) {
        takeOver(&begun);
        body(range * grain, std::min(count, (range + 1) * grain));
        passOn(&done);
    });
    takeOver(&done);
}

#endif

}  // namespace pelt
