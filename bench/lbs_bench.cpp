// LBS and DQS: the kernels, the plain loops, and a STREAM triad over the same number of bytes as the kernel. Rows are
// METHOD/INFLUENCES[-POSE]/SIZE/THREADS; each kernel row has `plain:` and `triad:` rows of the same name and, if
// positions are blended linearly on one thread, a row `arithmetic:` with the same number of multiply-adds.
#include <benchmark/benchmark.h>
#include <pelt/core/parallel.h>
#include <pelt/deform/dqs.h>
#include <pelt/deform/lbs.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>

#include "peak_arithmetic.h"
#include "plain_skinning.h"
#include "subjects.h"
#include "timing.h"

namespace pelt::bench {
namespace {

constexpr std::size_t kSizes[] = {20000, 55000, 200000};
constexpr std::size_t kGrain = 4096;  // vertices per task
constexpr std::size_t kChunk = 8192;  // vertices timed at once on one thread

/// Poses that are expensive for dual quaternions, in addition to a pose of the walk: joints with arbitrary rotations,
/// so that no common choice of signs exists and each vertex chooses; one stretched joint; every joint stretched
/// differently.
enum class Pose { walk, turned, one, stretched };
constexpr Pose kPoses[] = {Pose::walk, Pose::turned, Pose::one, Pose::stretched};
constexpr std::size_t kStretchedJoint = 2;

std::vector<Affine3f> bonesOf(const Subject& s, Pose pose) {
    std::vector<Affine3f> bones = s.bones;
    for (std::size_t j = 0; j < bones.size() && pose != Pose::walk; ++j) {
        if (pose == Pose::one && j != kStretchedJoint) continue;
        const double number = double(j) * 0.618 - std::floor(double(j) * 0.618);  // evenly spread in [0, 1)
        const Vec3d axis{std::cos(double(j)), std::sin(double(j)), 0.5};
        const Mat3d turn = toMatrix(axisAngle(axis, 6 * (number - 0.5)));
        const Mat3d stretch{{{0.8 + number / 2, 0, 0}, {0, 1.2, 0}, {0, 0.1 * number, 1}}};
        const Mat3d change = pose == Pose::turned ? turn : stretch;
        const Vec3d center = s.joint_positions[j];
        bones[j] = Affine3f(Affine3d(bones[j]) * Affine3d(change, center - change * center));
    }
    return bones;
}

/// The data for measuring one size; created when its first row runs.
struct Setup {
    const Subject& subject;
    deform::LbsRig lbs;
    deform::DqsRig dqs;
    std::vector<Affine3f> bones;
    deform::LbsPose lbs_pose;
    deform::DqsPose dqs_pose;
    PlainInfluences plain;
    std::vector<PlainDualQuaternion> plain_joints;
    std::size_t vertices;
    Results positions, normals;
    std::vector<float> a, b, c;

    Setup(const Subject& s, const SkinWeights& weights, Pose which)
        : subject(s),
          lbs(deform::prepareLbs(s.character.mesh, weights)),
          dqs(deform::prepareDqs(s.character.mesh, weights, s.joint_positions)),
          bones(bonesOf(s, which)),
          lbs_pose(lbs),
          dqs_pose(dqs),
          plain(plainInfluences(weights)),
          plain_joints(plainDualQuaternions(subject.bones)),
          vertices(s.character.mesh.vertexCount()),
          positions(vertices),
          normals(vertices) {
        lbs_pose.set(bones);
        dqs_pose.set(bones);
        const std::size_t longest =
            std::max(runtime::streamedBytes(lbs, true), runtime::streamedBytes(dqs, true)) / (3 * sizeof(float));
        for (std::vector<float>* array : {&a, &b, &c}) array->assign(longest, 1.0f);
    }

    PlainStreams streams(bool with_normals) {
        const Mesh& mesh = subject.character.mesh;
        return {mesh.positions.data(), with_normals ? mesh.normals.data() : nullptr, positions.vectors().data(),
                normals.vectors().data()};
    }
    deform::Output output(bool with_normals) {
        return {positions.vectors(), with_normals ? normals.vectors() : std::span<Vec3f>()};
    }
};

struct Row {
    std::size_t size;
    bool dqs = false, normals = false, full = false;
    int threads = 1;
    Pose pose = Pose::walk;

    std::string name() const {
        const char* const poses[] = {"", "-turned", "-one-stretched", "-stretched"};
        return std::string(dqs ? "dqs" : "lbs") + "/4inf" + (full ? "-full" : "") + poses[int(pose)] +
               (normals ? "+normals" : "") + "/" + std::to_string(size / 1000) + "k/" + std::to_string(threads) + "t";
    }
};

Setup& setupOf(const Row& row) {
    static std::map<std::tuple<std::size_t, bool, Pose>, std::unique_ptr<Setup>> made;
    std::unique_ptr<Setup>& setup = made[{row.size, row.full, row.pose}];
    if (!setup) {
        const Subject& subject = bipedOf(row.size);
        setup =
            std::make_unique<Setup>(subject, row.full ? filledToFour(subject) : subject.character.weights, row.pose);
    }
    return *setup;
}

std::size_t bytesOf(const Row& row, const Setup& s) {
    return row.dqs ? runtime::streamedBytes(s.dqs, row.normals) : runtime::streamedBytes(s.lbs, row.normals);
}

/// Runs passes over `count` items and returns the time of one, excluding interruptions: the sum of the best times of
/// its chunks, each far shorter than a time slice; on several threads, the best pass.
double bestPass(benchmark::State& state, const Row& row, std::size_t count, const Range& range) {
    using Clock = std::chrono::steady_clock;
    const std::size_t vertices = setupOf(row).vertices;
    const std::size_t grain = (row.threads == 1 ? kChunk : kGrain) * count / vertices / 16 * 16;
    std::vector<double> best(row.threads == 1 ? (count + grain - 1) / grain : 1, std::numeric_limits<double>::max());
    const auto timed = [&](std::size_t chunk, const auto& work) {
        const auto start = Clock::now();
        work();
        benchmark::ClobberMemory();
        best[chunk] = std::min(best[chunk], std::chrono::duration<double>(Clock::now() - start).count());
    };
    for (auto _ : state) {
        if (row.threads == 1)
            for (std::size_t c = 0; c < best.size(); ++c)
                timed(c, [&] { range(c * grain, std::min(count, (c + 1) * grain)); });
        else
            timed(0, [&] { parallelFor(count, grain, range); });
    }
    return std::accumulate(best.begin(), best.end(), 0.0);
}

void measure(benchmark::State& state, const Row& row, std::size_t count, const Range& range) {
    setThreadCount(row.threads);
    const double seconds = bestPass(state, row, count, range);
    const Setup& s = setupOf(row);
    state.counters["ns_per_vertex"] = seconds * 1e9 / double(s.vertices);
    state.counters["bytes_per_vertex"] = double(bytesOf(row, s)) / double(s.vertices);
}

void kernelRow(benchmark::State& state, const Row& row) {
    Setup& s = setupOf(row);
    const deform::Output out = s.output(row.normals);
    measure(state, row, s.vertices, [&](std::size_t first, std::size_t last) {
        if (row.dqs)
            deform::evaluate(s.dqs, s.dqs_pose, {}, first, last - first, out);
        else
            deform::evaluate(s.lbs, s.lbs_pose, {}, first, last - first, out);
    });
}

void plainRow(benchmark::State& state, const Row& row) {
    Setup& s = setupOf(row);
    const PlainStreams streams = s.streams(row.normals);
    measure(state, row, s.vertices, [&](std::size_t first, std::size_t last) {
        if (row.dqs)
            plainDqs(s.plain, s.plain_joints.data(), streams, first, last);
        else
            plainLbs(s.plain, s.bones.data(), streams, first, last);
    });
}

void triadRow(benchmark::State& state, const Row& row) {
    Setup& s = setupOf(row);
    measure(state, row, bytesOf(row, s) / (3 * sizeof(float)),
            [&](std::size_t first, std::size_t last) { triad(s.a.data(), s.b.data(), s.c.data(), first, last); });
}

void arithmeticRow(benchmark::State& state, const Row& row) {
    Setup& s = setupOf(row);
    const double per_vertex = double(runtime::multiplyAdds(s.lbs)) / double(s.vertices);
    measure(state, row, s.vertices,
            [&](std::size_t first, std::size_t last) { multiplyAdds(std::size_t(double(last - first) * per_vertex)); });
}

void add(const Row& row) {
    std::vector<std::pair<const char*, void (*)(benchmark::State&, const Row&)>> kinds = {
        {"", kernelRow}, {"plain:", plainRow}, {"triad:", triadRow}};
    if (!row.dqs && !row.normals && row.threads == 1) kinds.emplace_back("arithmetic:", arithmeticRow);
    for (const auto& [prefix, run] : kinds) {
        const auto body = run;  // structured bindings cannot be captured
        benchmark::RegisterBenchmark((prefix + row.name()).c_str(), [row, body](benchmark::State& state) {
            body(state, row);
        })->UseRealTime();
    }
}

}  // namespace
}  // namespace pelt::bench

int main(int argc, char** argv) {
    using pelt::bench::Pose;
    for (const std::size_t size : pelt::bench::kSizes)
        for (const int threads : {1, 2})
            for (const bool normals : {false, true}) {
                for (const Pose pose : pelt::bench::kPoses)
                    for (const bool dqs : {false, true})
                        if (threads == 1 || pose == Pose::walk)
                            pelt::bench::add({size, dqs, normals, false, threads, pose});
                if (threads == 1) pelt::bench::add({size, false, normals, true, threads});
            }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
