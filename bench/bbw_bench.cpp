// Bounded biharmonic weights of a body: 24 bones on a lattice of about 10k points, from the mesh to the weights of its
// vertices, including the lattice. Rows are pose/bbw/SIZE/THREADS.
#include <benchmark/benchmark.h>
#include <pelt/bind/bounded_biharmonic.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/segments.h>
#include <pelt/scenes/scenes.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace pelt::bench {
namespace {

constexpr std::size_t kBones = 24;

/// The longest bones: fingers are left out.
std::vector<bind::BiharmonicHandle> longestBones(const Skeleton& skeleton) {
    const auto segments = geometry::boneSegments(rig::jointRestPositions(skeleton), rig::jointParents(skeleton));
    std::vector<bind::BiharmonicHandle> bones(skeleton.joints.size());
    std::vector<double> lengths(bones.size(), 0);
    for (const geometry::BoneSegment& s : segments) {
        bones[s.joint].segments.push_back({s.start, s.end});
        lengths[s.joint] += length(s.end - s.start);
    }
    std::vector<std::size_t> order(bones.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
    std::vector<bind::BiharmonicHandle> longest;
    for (std::size_t k = 0; k < kBones; ++k) longest.push_back(bones[order[k]]);
    return longest;
}

void weights(benchmark::State& state, std::size_t target_tets, int threads) {
    const Character biped = scenes::find("biped")->make(10000);
    const auto bones = longestBones(biped.skeleton);
    bind::BiharmonicOptions options;
    options.target_tets = target_tets;
    setThreadCount(threads);
    double best = HUGE_VAL;
    for ([[maybe_unused]] auto _ : state) {
        const auto start = std::chrono::steady_clock::now();
        const bind::BiharmonicWeights result = bind::biharmonicWeights(biped.mesh, bones, options);
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        state.counters["points"] = double(result.domain_vertices);
    }
    setThreadCount(0);
    state.counters["microseconds"] = 1e6 * best;
}

}  // namespace
}  // namespace pelt::bench

int main(int argc, char** argv) {
    for (const int threads : {1, 2})
        benchmark::RegisterBenchmark(
            ("pose/bbw/10k/" + std::to_string(threads) + "t").c_str(),
            [threads](benchmark::State& state) { pelt::bench::weights(state, 47000, threads); })
            ->Iterations(2)
            ->Unit(benchmark::kMillisecond);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
