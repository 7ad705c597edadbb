// Times of passes over many vertices, without interruptions.
#include "timing.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>

namespace pelt::bench {

double bestPass(benchmark::State& state, int threads, std::size_t count, std::size_t chunk, const Range& range) {
    using Clock = std::chrono::steady_clock;
    const std::size_t chunks = threads == 1 ? (count + chunk - 1) / chunk : 1;
    std::vector<double> best(chunks, std::numeric_limits<double>::max());
    const auto timed = [&](std::size_t c, const auto& work) {
        const auto start = Clock::now();
        work();
        benchmark::ClobberMemory();
        best[c] = std::min(best[c], std::chrono::duration<double>(Clock::now() - start).count());
    };
    setThreadCount(threads);
    for (auto _ : state) {
        if (threads == 1)
            for (std::size_t c = 0; c < chunks; ++c)
                timed(c, [&] { range(c * chunk, std::min(count, (c + 1) * chunk)); });
        else
            timed(0, [&] { parallelFor(count, chunk / 2, range); });
    }
    return std::accumulate(best.begin(), best.end(), 0.0);
}

}  // namespace pelt::bench
