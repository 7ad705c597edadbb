// Baking: wall and CPU seconds of one bake of the built-in biped from Direct Delta Mush v0 with four influences, over a
// clip and the range of motion, compared with the seconds of preparing Direct Delta Mush for it. Rows are
// bake/HELPERS/VERTICES; e_rms is that of the range of motion, ratio_v5 its ratio to that of v5's weights.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <pelt/methods/ddm.h>
#include <pelt/scenes/scenes.h>
#include <pelt/verbs/bake.h>
#include <sys/resource.h>

#include <chrono>
#include <map>

namespace pelt::bench {
namespace {

constexpr std::size_t kSizes[] = {20000, 55000};
constexpr std::size_t kHelpers[] = {0, 8};

double cpuSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

template <class Work>
double secondsOf(const Work& work) {
    const auto began = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

const Character& biped(std::size_t vertices) {
    static std::map<std::size_t, Character> made;
    const auto [at, is_new] = made.try_emplace(vertices);
    if (is_new) at->second = scenes::find("biped")->make(vertices);
    return at->second;
}

void runBake(benchmark::State& state, std::size_t vertices, std::size_t helpers) {
    const Character& character = biped(vertices);
    verbs::BakeRequest request;
    request.helpers = helpers;
    verbs::BakeResult made;
    const double preparing = secondsOf([&] { benchmark::DoNotOptimize(methods::ddmRows(character, {}, {})); });
    const double cpu = cpuSeconds();
    double seconds = 0;
    for (auto _ : state) seconds += secondsOf([&] { made = verbs::bake(character, request); });
    const auto runs = double(state.iterations());
    const double e_rms = made.candidates[made.chosen].range->e_rms;
    state.counters["seconds"] = seconds / runs;
    state.counters["cpu_seconds"] = (cpuSeconds() - cpu) / runs;
    state.counters["prepare_seconds"] = preparing;
    state.counters["e_rms"] = e_rms;
    state.counters["ratio_v5"] = e_rms / made.candidates.front().range->e_rms;
}

}  // namespace
}  // namespace pelt::bench

int main(int argc, char** argv) {
    using namespace pelt;
    for (const std::size_t vertices : bench::kSizes)
        for (const std::size_t helpers : bench::kHelpers)
            benchmark::RegisterBenchmark(fmt::format("bake/{}/{}k", helpers, vertices / 1000).c_str(),
                                         [=](benchmark::State& state) { bench::runBake(state, vertices, helpers); })
                ->Iterations(1)
                ->Unit(benchmark::kSecond);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
