// Direct Delta Mush's precomputation: completely, and again after κ or α changed on a prepared rig. `mush` is
// everything the verb does by default, including the choice of influences, except reading and writing files. Rows are
// prepare/WHAT/SIZE/THREADS, in seconds; `peak_bytes` is the largest size of the process so far, so sizes run in
// ascending order.
#include <benchmark/benchmark.h>
#include <pelt/core/parallel.h>
#include <pelt/deform/ddm_prepare.h>
#include <pelt/methods/ddm.h>
#include <pelt/scenes/scenes.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <numeric>

namespace pelt::bench {
namespace {

struct Size {
    const char* name;
    std::size_t vertices, joints;
    int subdivisions;  ///< on top of a scene of vertices / 4^subdivisions
};
constexpr Size kSizes[] = {{"20k", 20000, 60, 0},
                           {"55k", 55000, 60, 0},
                           {"97k", 97000, 60, 0},
                           {"200k", 200000, 70, 0},
                           {"1000k", 1000000, 100, 1}};

struct Body {
    Mesh mesh;
    SkinWeights bind;
};

/// Each triangle cut into four; new vertices take the bind of one end.
Body subdivided(const Body& from) {
    Body to{from.mesh, from.bind};
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
        const auto [at, fresh] = middles.try_emplace(std::minmax(a, b), std::uint32_t(to.mesh.positions.size()));
        if (fresh) {
            to.mesh.positions.push_back((from.mesh.positions[a] + from.mesh.positions[b]) * 0.5f);
            appendVertex(to.bind, from.bind.jointsOf(std::min(a, b)), from.bind.weightsOf(std::min(a, b)));
        }
        return at->second;
    };
    to.mesh.triangles.clear();
    for (const Triangle& t : from.mesh.triangles) {
        const std::uint32_t a = middle(t[0], t[1]), b = middle(t[1], t[2]), c = middle(t[2], t[0]);
        to.mesh.triangles.insert(to.mesh.triangles.end(), {{t[0], a, c}, {a, t[1], b}, {c, b, t[2]}, {a, b, c}});
    }
    return to;
}

/// The requested number of joints: the joint with most vertices is repeatedly split in two across its longest side.
void splitJoints(Body& body, std::size_t joints) {
    std::vector<std::vector<std::uint32_t>> groups;
    for (std::uint32_t v = 0; v < body.bind.vertexCount(); ++v) {
        const std::uint32_t j = body.bind.jointsOf(v)[0];
        if (groups.size() <= j) groups.resize(j + std::size_t(1));
        groups[j].push_back(v);
    }
    while (groups.size() < joints) {
        auto& largest = *std::max_element(groups.begin(), groups.end(),
                                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
        const auto& p = body.mesh.positions;
        int axis = 0;
        float extent = 0;
        for (int i = 0; i < 3; ++i) {
            const auto [low, high] =
                std::minmax_element(largest.begin(), largest.end(), [&](auto a, auto b) { return p[a][i] < p[b][i]; });
            if (p[*high][i] - p[*low][i] > extent) {
                extent = p[*high][i] - p[*low][i];
                axis = i;
            }
        }
        std::sort(largest.begin(), largest.end(), [&](auto a, auto b) { return p[a][axis] < p[b][axis]; });
        const auto half = largest.begin() + std::ptrdiff_t(largest.size() / 2);
        std::vector<std::uint32_t> upper(half, largest.end());
        largest.erase(half, largest.end());
        groups.push_back(std::move(upper));
    }
    for (std::uint32_t j = 0; j < groups.size(); ++j)
        for (const std::uint32_t v : groups[j]) body.bind.joints[body.bind.offsets[v]] = j;
}

/// The conditions of the run time's table: p 20, λ 3, κ 1, α 0.8, uniform.
deform::DdmOptions conditions(std::size_t vertices) {
    deform::DdmOptions options;
    options.laplacian = geometry::LaplacianKind::uniform;
    options.iterations = 20;
    options.lambda.assign(vertices, 3);
    options.kappa.assign(vertices, 1);
    options.alpha.assign(vertices, 0.8);
    return options;
}

struct Setup {
    Body body;
    deform::DdmOptions options;
    std::unique_ptr<deform::DdmPreparation> prepared;
};

Setup& setupOf(const Size& size) {
    static std::map<std::string, Setup> made;
    Setup& setup = made[size.name];
    if (!setup.prepared) {
        std::size_t vertices = size.vertices;
        for (int i = 0; i < size.subdivisions; ++i) vertices /= 4;
        Character biped = scenes::find("biped")->make(vertices);
        setup.body = {std::move(biped.mesh), std::move(biped.weights)};
        for (int i = 0; i < size.subdivisions; ++i) setup.body = subdivided(setup.body);
        splitJoints(setup.body, size.joints);
        setup.options = conditions(setup.body.mesh.vertexCount());
        setup.prepared = std::make_unique<deform::DdmPreparation>(setup.body.mesh, setup.body.bind);
    }
    return setup;
}

template <class Work>
void timed(benchmark::State& state, const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(seconds.count());
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    state.counters["seconds"] = seconds.count();
    state.counters["peak_bytes"] = double(usage.ru_maxrss) * 1024;
}

void full(benchmark::State& state, const Size& size, int threads) {
    Setup& setup = setupOf(size);
    setThreadCount(threads);
    for ([[maybe_unused]] auto _ : state)
        timed(state, [&] {
            setup.prepared = std::make_unique<deform::DdmPreparation>(setup.body.mesh, setup.body.bind);
            setup.prepared->update(setup.options);
            benchmark::DoNotOptimize(setup.prepared->rows(4));
        });
    setThreadCount(0);
}

void changed(benchmark::State& state, const Size& size, std::vector<double> deform::DdmOptions::*values) {
    Setup& setup = setupOf(size);
    setup.prepared->update(setup.options);
    for ([[maybe_unused]] auto _ : state) {
        for (double& x : setup.options.*values) x *= 0.999;
        timed(state, [&] {
            setup.prepared->update(setup.options);
            benchmark::DoNotOptimize(setup.prepared->rows(4));
        });
    }
}

constexpr Size kMushSizes[] = {
    {"20k", 20000, 52, 0}, {"100k", 100000, 52, 0}, {"300k", 300000, 52, 0}, {"1000k", 1000000, 52, 0}};

void mushed(benchmark::State& state, const Size& size) {
    const Character biped = scenes::find("biped")->make(size.vertices);
    for ([[maybe_unused]] auto _ : state) timed(state, [&] { benchmark::DoNotOptimize(methods::mush(biped, {})); });
}

void addRows() {
    const auto add = [](const std::string& name, auto&& run) {
        benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Iterations(1)->Unit(benchmark::kSecond);
    };
    for (const Size& size : kSizes) {
        const std::string tail = std::string("/") + size.name;
        add("prepare/full" + tail + "/2t", [&size](benchmark::State& s) { full(s, size, 2); });
        if (size.vertices > 60000) continue;
        add("prepare/full" + tail + "/1t", [&size](benchmark::State& s) { full(s, size, 1); });
        add("prepare/kappa" + tail + "/2t",
            [&size](benchmark::State& s) { changed(s, size, &deform::DdmOptions::kappa); });
        add("prepare/alpha" + tail + "/2t",
            [&size](benchmark::State& s) { changed(s, size, &deform::DdmOptions::alpha); });
    }
    for (const Size& size : kMushSizes)
        add(std::string("prepare/mush/") + size.name + "/2t", [&size](benchmark::State& s) { mushed(s, size); });
}

}  // namespace
}  // namespace pelt::bench

int main(int argc, char** argv) {
    pelt::bench::addRows();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
