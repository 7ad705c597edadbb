// Skins from examples: wall and CPU seconds of one fit, on examples that no skin reproduces (a bar that waves). Rows
// are fit/KIND/VERTICES/EXAMPLES/INFLUENCES. [MohrGleicher03] §5.3 reports up to five minutes for thousands of
// vertices, dozens of examples and five influences, on a machine of 2003.
#include <benchmark/benchmark.h>
#include <pelt/fit/examples.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>

namespace pelt::bench {
namespace {

constexpr double kPaperSeconds = 300;
constexpr std::size_t kJoints = 24;

struct Size {
    std::size_t vertices, examples, influences;
    bool has_paper;
};
constexpr Size kSizes[] = {{6000, 50, 5, true}, {50000, 100, 8, false}};

struct Examples {
    std::vector<Vec3d> rest;
    fit::ExamplePoses poses;
};

/// A tube along x on a chain of joints that bend and twist, each vertex blended over the joints around it with a width
/// that changes with the pose, which no fixed weights reproduce.
Examples makeExamples(const Size& size) {
    Examples made;
    made.poses = {kJoints, size.vertices, size.examples, {}, {}};
    for (std::size_t v = 0; v < size.vertices; ++v) {
        const double x = double(kJoints) * double(v) / double(size.vertices), angle = 2.399963 * double(v);
        made.rest.push_back({x, std::cos(angle), std::sin(angle)});
    }
    for (std::size_t e = 0; e < size.examples; ++e) {
        Affine3d world;
        for (std::size_t j = 0; j < kJoints; ++j) {
            const Vec3d axis{0.5 * std::sin(double(j + e)), std::cos(double(j * e)), std::sin(double(3 * j + e))};
            const Affine3d turn(toMatrix(axisAngle(axis, 0.3 * std::sin(double(e) + 0.7 * double(j)))), {});
            const Affine3d away(Mat3d{}, {double(j), 0, 0}), back(Mat3d{}, {-double(j), 0, 0});
            world = world * away * turn * back;
            made.poses.bones.push_back(world);
        }
        const double width = 0.8 + 0.3 * std::sin(double(e));
        for (const Vec3d& p : made.rest) {
            Vec3d sum;
            double total = 0;
            for (std::size_t j = 0; j < kJoints; ++j) {
                const double d = (p.x - double(j) - 0.5) / width, weight = std::exp(-d * d);
                sum += made.poses.pose(e)[j] * p * weight;
                total += weight;
            }
            made.poses.positions.push_back(sum / total);
        }
    }
    return made;
}

double cpuSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void runFit(benchmark::State& state, const Size& size, fit::WeightKind kind, std::size_t candidates) {
    const Examples examples = makeExamples(size);
    fit::ExampleFitOptions options;
    options.influences = size.influences;
    options.weights = kind;
    options.candidates = candidates;
    double e_rms = 0;
    const double cpu = cpuSeconds();
    const auto began = std::chrono::steady_clock::now();
    for (auto _ : state) e_rms = fit::fitExamples(examples.rest, examples.poses, options).e_rms;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    const double runs = double(state.iterations());
    state.counters["seconds"] = took.count() / runs;
    state.counters["cpu_seconds"] = (cpuSeconds() - cpu) / runs;
    state.counters["e_rms"] = e_rms;
    state.counters["paper"] = size.has_paper ? kPaperSeconds : 0;
}

}  // namespace
}  // namespace pelt::bench

int main(int argc, char** argv) {
    using namespace pelt;
    for (const bench::Size& size : bench::kSizes) {
        const std::string name = std::to_string(size.vertices / 1000) + "k/" + std::to_string(size.examples) + "/" +
                                 std::to_string(size.influences);
        const auto add = [&](const char* kind, fit::WeightKind weights, std::size_t candidates) {
            benchmark::RegisterBenchmark(
                ("fit/" + std::string(kind) + "/" + name).c_str(),
                [=](benchmark::State& state) { bench::runFit(state, size, weights, candidates); })
                ->Iterations(1)
                ->Unit(benchmark::kSecond);
        };
        add("convex", fit::WeightKind::convex, 0);
        add("affine", fit::WeightKind::affine, 0);
        add("convex-choosing", fit::WeightKind::convex, size.influences + 8);
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
