#pragma once

#include <benchmark/benchmark.h>
#include <pelt/core/vec.h>

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace pelt::bench {

/// Output buffers aligned to a cache line, as in an engine: otherwise half of the kernels' writes would cross two
/// lines.
class Results {
public:
    explicit Results(std::size_t count)
        : lines_((count * sizeof(Vec3f) + sizeof(Line) - 1) / sizeof(Line)), count_(count) {}
    std::span<Vec3f> vectors() { return {reinterpret_cast<Vec3f*>(lines_.data()), count_}; }

private:
    struct alignas(64) Line {
        float numbers[16] = {};
    };
    std::vector<Line> lines_;
    std::size_t count_;
};

using Range = std::function<void(std::size_t first, std::size_t last)>;

/// Runs passes over `count` items and returns the seconds of one, excluding interruptions: the sum of the best times of
/// chunks of `chunk` items, each far shorter than a time slice; on several threads, the best pass, cut into tasks of
/// half a chunk.
double bestPass(benchmark::State& state, int threads, std::size_t count, std::size_t chunk, const Range& range);

}  // namespace pelt::bench
