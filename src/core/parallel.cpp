// Loops over ranges on several threads, with the same ranges whatever the number of threads.
#include <pelt/core/parallel.h>
#include <pelt/core/start_threads.h>

#include <algorithm>

#ifndef PELT_SERIAL
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>
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
void withThreads(int, const std::function<void()>& work) { work(); }
void startThreads() {}

void parallelFor(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) {
    grain = std::max<std::size_t>(grain, 1);
    for (std::size_t first = 0; first < count; first += grain) body(first, std::min(count, first + grain));
}

#else

namespace {

// Debian's libtbb is not built for the thread sanitizer, which therefore does not know that the caller's writes happen
// before the bodies, and the bodies before the return. These annotations tell it; in other builds they do nothing.
#ifdef PELT_THREAD_SANITIZER
void passOn(void* token) { __tsan_release(token); }
void takeOver(void* token) { __tsan_acquire(token); }
#else
void passOn(void*) {}
void takeOver(void*) {}
#endif

std::mutex limit_mutex;
/// Never destroyed: at the exit of the program oneTBB may try to start a thread, and fail.
std::unique_ptr<tbb::global_control>& limit = *new std::unique_ptr<tbb::global_control>;
std::atomic<std::size_t> workers_started{0};  ///< threads, including the caller's

void limitThreads(std::size_t threads) {
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threads);
}

/// How many threads, up to the given number, can be started: all are kept alive until the last has been tried.
std::size_t startableThreads(std::size_t wanted) {
    std::mutex gate;
    std::unique_lock closed(gate);
    std::vector<std::thread> threads;
    threads.reserve(wanted);
    try {
        while (threads.size() < wanted) threads.emplace_back([&gate] { const std::lock_guard pass(gate); });
    } catch (const std::system_error&) {
    }
    closed.unlock();
    for (std::thread& thread : threads) thread.join();
    return threads.size();
}

/// Runs tasks that wait for each other, so that TBB must start all its threads.
void startWorkers(std::size_t threads) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    std::atomic<std::size_t> there{0};
    tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(
            std::size_t(0), threads,
            [&](std::size_t) {
                ++there;
                while (there < threads && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
            },
            tbb::simple_partitioner());
    });
}

}  // namespace

void setThreadCount(int threads) {
    const std::lock_guard lock(limit_mutex);
    limit.reset();
    workers_started = 0;
    if (threads > 0) limitThreads(static_cast<std::size_t>(threads));
}

// TBB aborts the program if one of its threads cannot start, because there are too many processes or too little address
// space. Therefore we first try how many threads can be started, limit TBB to that number, and make it start them
// before the work allocates memory.
void startThreads() {
    const auto wanted = static_cast<std::size_t>(threadCount());
    if (workers_started >= wanted) return;
    const std::lock_guard lock(limit_mutex);
    if (workers_started >= wanted) return;
    const std::size_t threads = wanted > 1 ? 1 + startableThreads(wanted - 1) : 1;
    if (threads < wanted) limitThreads(threads);
    if (threads > 1) startWorkers(threads);
    workers_started = wanted;
}

int threadCount() {
    return static_cast<int>(
        std::min<std::size_t>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism),
                              static_cast<std::size_t>(tbb::this_task_arena::max_concurrency())));
}

void withThreads(int threads, const std::function<void()>& work) {
    if (threads <= 0) return work();
    tbb::task_arena arena(std::min(threads, threadCount()));  // more would cause a warning
    arena.execute([&work] { work(); });
}

void parallelFor(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) {
    if (count == 0) return;
    grain = std::max<std::size_t>(grain, 1);
    const std::size_t ranges = (count + grain - 1) / grain;
    if (ranges == 1) return body(0, count);
    startThreads();
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
