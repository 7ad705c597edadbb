// Posing from handles: one iteration, a drag (30 iterations and linear blend skinning with all weights), a crowd, the
// precomputation and a change of constraints. Rows are pose/WHAT/TRIANGLES/THREADS.
//
// The biped on 20 handles, 100 rotation clusters; every vertex has weight on every handle, the worst case for 20
// handles. `extra60` and `drag60` are an iteration and a drag with 60 extra weights and the rotations that these get by
// default. The transforms of pelvis and feet and the positions of hands and head are constrained; the latter move
// between solves. Times are the best of many, each far shorter than a time slice.
#include <benchmark/benchmark.h>
#include <pelt/core/parallel.h>
#include <pelt/pose/pose.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <map>
#include <vector>

#include "subjects.h"
#include "timing.h"

namespace pelt::bench {
namespace {

constexpr std::size_t kClusters = 100, kCrowd = 100;
constexpr int kIterations = 30;
constexpr std::array kHandles = {"pelvis",    "spine",      "chest",      "upper_chest", "neck",
                                 "head",      "clavicle_L", "clavicle_R", "upper_arm_L", "upper_arm_R",
                                 "forearm_L", "forearm_R",  "hand_L",     "hand_R",      "thigh_L",
                                 "thigh_R",   "shin_L",     "shin_R",     "foot_L",      "foot_R"};

struct Puppet {
    Mesh mesh;
    SkinWeights weights;
    std::vector<Vec3d> joints;

    pose::Shape shape() const { return {mesh.positions, mesh.triangles, &weights, kHandles.size()}; }
};

/// Fingers and toes follow the nearest ancestor that is a handle; a tiny weight on every other handle is added.
Puppet makePuppet(std::size_t vertices) {
    const Character& biped = bipedOf(vertices).character;
    const std::vector<std::int32_t> parents = rig::jointParents(biped.skeleton);
    const std::vector<Vec3d> places = rig::jointRestPositions(biped.skeleton);
    std::vector<std::int32_t> handle(parents.size(), -1);
    Puppet puppet{biped.mesh, {}, {}};
    for (std::size_t h = 0; h < kHandles.size(); ++h) {
        const std::size_t joint = rig::findJoint(biped.skeleton, kHandles[h]).value();
        handle[joint] = std::int32_t(h);
        puppet.joints.push_back(places[joint]);
    }
    for (std::size_t j = 0; j < parents.size(); ++j)
        if (handle[j] < 0) handle[j] = handle[std::size_t(parents[j])];
    for (std::size_t v = 0; v < biped.mesh.vertexCount(); ++v) {
        std::array<float, kHandles.size()> all{};
        std::array<std::uint32_t, kHandles.size()> names{};
        for (std::uint32_t h = 0; h < kHandles.size(); ++h) {
            const double d = length(Vec3d(biped.mesh.positions[v]) - puppet.joints[h]);
            all[h] = float(1e-3 / (0.01 + d * d));
            names[h] = h;
        }
        for (std::size_t k = 0; k < biped.weights.influenceCount(v); ++k)
            all[std::size_t(handle[biped.weights.jointsOf(v)[k]])] += biped.weights.weightsOf(v)[k];
        appendVertex(puppet.weights, names, all);
    }
    return puppet;
}

const Puppet& puppetOf(std::size_t vertices) {
    static std::map<std::size_t, Puppet> made;
    const auto found = made.find(vertices);
    return found != made.end() ? found->second : made.emplace(vertices, makePuppet(vertices)).first->second;
}

const pose::RigOptions kOptions{pose::Energy::spokes_and_rims, kClusters, 0, 0};
const pose::RigOptions kExtraOptions{pose::Energy::spokes_and_rims, {}, 60, 0};

const pose::PoseRig& rigOf(std::size_t vertices, const pose::RigOptions& options = kOptions) {
    static std::map<std::pair<std::size_t, std::size_t>, pose::PoseRig> made;
    const auto found = made.find({vertices, options.extra_weights});
    if (found != made.end()) return found->second;
    return made.emplace(std::pair(vertices, options.extra_weights), pose::prepare(puppetOf(vertices).shape(), options))
        .first->second;
}

std::uint32_t handleOf(std::string_view name) {
    return std::uint32_t(std::find(kHandles.begin(), kHandles.end(), name) - kHandles.begin());
}

std::vector<pose::Constraint> constraintsOf(const Puppet& puppet) {
    std::vector<pose::Constraint> constraints;
    for (const char* name : {"pelvis", "foot_L", "foot_R"})
        constraints.push_back({pose::ConstraintKind::transform, handleOf(name), {}, {}});
    for (const char* name : {"hand_L", "hand_R", "head"})
        constraints.push_back({pose::ConstraintKind::position, handleOf(name), puppet.joints[handleOf(name)], {}});
    return constraints;
}

/// Moves the dragged handles to a different position for every phase.
void drag(pose::Solver<float>& solver, const Puppet& puppet, double phase) {
    const char* names[] = {"hand_L", "hand_R", "head"};
    for (std::size_t i = 0; i < 3; ++i) {
        const Vec3d swing(0.1 * std::sin(phase + double(i)), 0.1 * std::cos(1.3 * phase), 0.1 * std::sin(2 * phase));
        solver.setTarget(3 + i, puppet.joints[handleOf(names[i])] + swing);
    }
}

/// The best time of `work` over the passes of the benchmark, in seconds.
template <class Work>
double bestTime(benchmark::State& state, int threads, const Work& work) {
    using Clock = std::chrono::steady_clock;
    setThreadCount(threads);
    double best = std::numeric_limits<double>::max();
    for ([[maybe_unused]] auto _ : state) {
        const auto start = Clock::now();
        work();
        benchmark::ClobberMemory();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    setThreadCount(0);
    return best;
}

void iteration(benchmark::State& state, std::size_t vertices, const pose::RigOptions& options = kOptions) {
    const Puppet& puppet = puppetOf(vertices);
    pose::Solver<float> solver(pose::constrain(rigOf(vertices, options), constraintsOf(puppet)));
    double phase = 0;
    const double seconds = bestTime(state, 1, [&] {
        drag(solver, puppet, phase += 0.1);
        solver.solve({kIterations, -1});
    });
    state.counters["microseconds"] = 1e6 * seconds / kIterations;
}

void dragAndSkin(benchmark::State& state, std::size_t vertices, const pose::RigOptions& options = kOptions) {
    const Puppet& puppet = puppetOf(vertices);
    const pose::PoseRig& rig = rigOf(vertices, options);
    pose::Solver<float> solver(pose::constrain(rig, constraintsOf(puppet)));
    std::vector<Affine3f> transforms(rig.handleCount() + rig.extraCount());
    Results results(puppet.mesh.vertexCount());
    double phase = 0;
    const double seconds = bestTime(state, 1, [&] {
        drag(solver, puppet, phase += 0.1);
        solver.solve({kIterations, -1});
        solver.transforms(transforms);
        pose::evaluate(rig, transforms, 0, puppet.mesh.vertexCount(), results.vectors());
    });
    state.counters["microseconds"] = 1e6 * seconds;
}

void crowd(benchmark::State& state, std::size_t vertices) {
    const Puppet& puppet = puppetOf(vertices);
    const pose::PoseRig& rig = rigOf(vertices);
    const pose::PoseSystem system = pose::constrain(rig, constraintsOf(puppet));
    std::vector<pose::Solver<float>> solvers;
    for (std::size_t i = 0; i < kCrowd; ++i) solvers.emplace_back(system);
    std::vector<Affine3f> transforms(rig.handleCount() + rig.extraCount());
    double phase = 0;
    const double seconds = bestTime(state, 1, [&] {
        phase += 0.1;
        for (std::size_t i = 0; i < kCrowd; ++i) {
            drag(solvers[i], puppet, phase + double(i));
            solvers[i].solve({kIterations, -1});
            solvers[i].transforms(transforms);
        }
    });
    state.counters["microseconds"] = 1e6 * seconds;
}

void prepareRig(benchmark::State& state, std::size_t vertices, int threads) {
    const Puppet& puppet = puppetOf(vertices);
    const double seconds = bestTime(state, threads, [&] { pose::prepare(puppet.shape(), kOptions); });
    state.counters["microseconds"] = 1e6 * seconds;
}

void constrainRig(benchmark::State& state, std::size_t vertices) {
    const Puppet& puppet = puppetOf(vertices);
    const auto constraints = constraintsOf(puppet);
    const pose::PoseRig& rig = rigOf(vertices);
    const double seconds = bestTime(state, 1, [&] { pose::constrain(rig, constraints); });
    state.counters["microseconds"] = 1e6 * seconds;
}

void addRows() {
    const auto add = [](const std::string& name, auto&& run, int passes) {
        benchmark::RegisterBenchmark(name.c_str(), run)->Iterations(passes)->Unit(benchmark::kMicrosecond);
    };
    for (const auto& [size, vertices] : {std::pair("20k", std::size_t(10000)), {"43k", 21500}, {"86k", 43000}}) {
        const std::string end = std::string("/") + size;
        const std::size_t n = vertices;
        add(
            "pose/iteration" + end + "/1t", [n](benchmark::State& s) { iteration(s, n); }, 300);
        add(
            "pose/drag" + end + "/1t", [n](benchmark::State& s) { dragAndSkin(s, n); }, 100);
        add(
            "pose/extra60" + end + "/1t", [n](benchmark::State& s) { iteration(s, n, kExtraOptions); }, 50);
        add(
            "pose/drag60" + end + "/1t", [n](benchmark::State& s) { dragAndSkin(s, n, kExtraOptions); }, 20);
        add(
            "pose/crowd" + end + "/1t", [n](benchmark::State& s) { crowd(s, n); }, 20);
        add(
            "pose/constrain" + end + "/1t", [n](benchmark::State& s) { constrainRig(s, n); }, 20);
        add(
            "pose/prepare" + end + "/1t", [n](benchmark::State& s) { prepareRig(s, n, 1); }, 2);
        add(
            "pose/prepare" + end + "/2t", [n](benchmark::State& s) { prepareRig(s, n, 2); }, 2);
    }
}

}  // namespace
}  // namespace pelt::bench

int main(int argc, char** argv) {
    pelt::bench::addRows();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
