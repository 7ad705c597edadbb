// Smooth skinning decomposition: E_RMS, CPU and wall seconds, compression. Rows are decompose/SET/BONES: rigid bones,
// K = 4, rest pose corrected, as in [LeDeng12] Table 2; and decompose/SET/BONES/flexible and …/flexible-closest as in
// Table 3: flexible bones with the rest pose corrected in every iteration, and a vertex's bones chosen by the solver
// or, as in [Kavan10], by how well each fits alone. decompose_tables_bench makes the tables themselves.
//
// Sets of real meshes are used if they exist beside the checkout; sequences of the built-in characters always exist.
// Frames are loaded before timing starts.
#include <benchmark/benchmark.h>
#include <pelt/fit/decompose.h>
#include <pelt/fit/eigenskin.h>
#include <pelt/methods/sampling.h>
#include <pelt/scenes/scenes.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>

#include "decompose/bone_update_race.h"
#include "decompose/data_sets.h"

namespace pelt::bench {
namespace {

enum class Form { rigid, flexible, flexible_closest };

/// Published results for one row, if there are any. `paper`: [LeDeng12] Table 2 or 3, E_RMS, and in brackets there
/// after a rank-5 EigenSkin correction. `peer`: Dem Bones 1.2.1 without its regularizers (its most accurate setting),
/// 30 iterations, E_RMS, and its CPU seconds on one thread of two virtual cores of an AMD EPYC (AVX2).
struct Row {
    const char* set;
    std::size_t bones;
    double paper = 0, paper_eigenskin = 0, peer = 0, peer_seconds = 0;
    Form form = Form::rigid;
};

constexpr Row kRows[] = {
    {"arm", 8},
    {"biped", 30},
    {"gt-cylinder", 4},
    {"gt-cheburashka", 11},
    {"cat-poses", 15, 6.5, 2.7, 10.12, 7.6},
    {"cat-poses", 20, 4.7, 2.0, 5.84, 8.6},
    {"cat-poses", 25, 3.4, 1.4, 4.78, 10.7},
    {"horse-gallop", 10, 0, 0, 9.88, 7.2},
    {"horse-gallop", 20, 3.6, 1.8, 4.46, 12.8},
    {"horse-gallop", 33, 2.2, 1.1},
    {"dembones-bone", 10},
    {"dembones-bone", 20},
    {"ict-narrowface-expressions", 20},
    {"ict-narrowface-expressions", 40},
    {"cat-poses", 15, 4.2, 0, 0, 0, Form::flexible},
    {"cat-poses", 15, 4.7, 0, 0, 0, Form::flexible_closest},
    {"cat-poses", 20, 3.3, 0, 0, 0, Form::flexible},
    {"cat-poses", 20, 3.5, 0, 0, 0, Form::flexible_closest},
    {"cat-poses", 25, 2.5, 0, 0, 0, Form::flexible},
    {"cat-poses", 25, 2.8, 0, 0, 0, Form::flexible_closest},
    {"horse-gallop", 10, 4.8, 0, 0, 0, Form::flexible},
    {"horse-gallop", 10, 5.4, 0, 0, 0, Form::flexible_closest},
    {"horse-gallop", 20, 2.3, 0, 0, 0, Form::flexible},
    {"horse-gallop", 20, 2.6, 0, 0, 0, Form::flexible_closest},
    {"horse-gallop", 33, 1.6, 0, 0, 0, Form::flexible},
    {"horse-gallop", 33, 1.6, 0, 0, 0, Form::flexible_closest},
};

std::optional<std::filesystem::path> sharedSet(const std::string& name) {
    const std::filesystem::path data = std::filesystem::path(PELT_SHARED) / "data";
    if (!std::filesystem::exists(data)) return std::nullopt;
    return findDataSet(data, name);
}

/// nullptr if the set does not exist. The built-in ones are motions that no skin reproduces: an arm with muscles, and a
/// walk of the biped by dual quaternions.
const DataSet* setOf(const std::string& name) {
    static std::map<std::string, DataSet> made;
    if (const auto found = made.find(name); found != made.end()) return &found->second;
    DataSet set;
    if (name == "arm") {
        set.rest = scenes::find("arm")->make(4000).mesh;
        set.frames = inMemory(*scenes::armExamples(4000));
    } else if (name == "biped") {
        Character biped = scenes::find("biped")->make(8000);
        biped.weights = scenes::smoothWeights(biped);
        set.rest = biped.mesh;
        set.frames = inMemory(*methods::sampleCharacter(std::move(biped), {}, methods::findMethod("dqs")));
    } else {
        const auto found = sharedSet(name);
        if (!found) return nullptr;
        set = loadDataSet(*found);
    }
    return &(made[name] = std::move(set));
}

double cpuSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Numbers of the frames over numbers of rest pose, weights with their indices, and bones, as docs/decompose.md counts.
double compression(const DataSet& set, const fit::Decomposition& made, fit::BoneKind kind) {
    const double vertices = double(set.rest.vertexCount()), frames = double(made.frames);
    const double a_bone = kind == fit::BoneKind::rigid ? 7 : 12;
    return 3 * vertices * frames /
           (3 * vertices + 2 * vertices * double(maxInfluences(made.weights)) + a_bone * double(made.bones) * frames);
}

fit::DecomposeOptions optionsOf(const Row& row) {
    fit::DecomposeOptions options;
    options.bones = row.bones;
    options.smoothness = 0;  // the paper's objective
    if (row.form == Form::rigid) return options;
    options.kind = fit::BoneKind::flexible;
    options.correct_rest_always = true;
    if (row.form == Form::flexible_closest) options.association = fit::Association::closest;
    return options;
}

void decompose(benchmark::State& state, const Row& row) {
    const DataSet* set = setOf(row.set);
    const fit::DecomposeOptions options = optionsOf(row);
    fit::Decomposition made;
    for ([[maybe_unused]] auto _ : state) {
        const double cpu = cpuSeconds();
        const auto begin = std::chrono::steady_clock::now();
        made = fit::decompose(*set->frames, set->rest.positions, set->rest.triangles, options);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        state.SetIterationTime(seconds.count());
        state.counters["seconds"] = seconds.count();
        state.counters["cpu_seconds"] = cpuSeconds() - cpu;
    }
    state.counters["e_rms"] = made.e_rms;
    state.counters["compression"] = compression(*set, made, options.kind);
    state.counters["paper"] = row.paper;
    state.counters["peer"] = row.peer;
    state.counters["peer_seconds"] = row.peer_seconds;
    if (row.paper_eigenskin == 0) return;
    state.counters["paper_eigenskin"] = row.paper_eigenskin;
    state.counters["eigenskin"] = fit::fitEigenSkin(made, *set->frames, 5, {}, set->rest.positions).world_e_rms;
}

/// Fig. 4: fifteen iterations on a small arm. Levenberg-Marquardt takes many minutes on the sets above.
void race(benchmark::State& state, BoneUpdate update) {
    constexpr std::size_t kVertices = 500, kBones = 6;
    const Mesh rest = scenes::find("arm")->make(kVertices).mesh;
    const auto frames = inMemory(*scenes::armExamples(kVertices, 4));
    for ([[maybe_unused]] auto _ : state) {
        const RaceResult result = raceBoneUpdates(*frames, rest.positions, kBones, 15, update);
        state.SetIterationTime(result.bone_seconds);
        state.counters["bone_seconds"] = result.bone_seconds;
        for (const std::size_t iteration : {0, 1, 5, 15})
            state.counters["e_rms_" + std::to_string(iteration)] = result.e_rms[iteration];
    }
}

void addRows() {
    const auto add = [](const std::string& name, auto&& run) {
        benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Iterations(1)->Unit(benchmark::kSecond);
    };
    for (const Row& row : kRows) {
        const std::string name = row.set;
        if (name != "arm" && name != "biped" && !sharedSet(name)) continue;
        const char* form = row.form == Form::rigid      ? ""
                           : row.form == Form::flexible ? "/flexible"
                                                        : "/flexible-closest";
        add("decompose/" + name + "/" + std::to_string(row.bones) + form,
            [&row](benchmark::State& state) { decompose(state, row); });
    }
    add("decompose/fig4-closed-form/6", [](benchmark::State& state) { race(state, BoneUpdate::closed_form); });
    add("decompose/fig4-levenberg-marquardt/6",
        [](benchmark::State& state) { race(state, BoneUpdate::levenberg_marquardt); });
}

}  // namespace
}  // namespace pelt::bench

int main(int argc, char** argv) {
    pelt::bench::addRows();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
