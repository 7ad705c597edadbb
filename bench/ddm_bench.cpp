// Direct Delta Mush, every variant, on the biped, rigidly bound. Rows ddm/VARIANT/SIZE/THREADS: p 20, λ 3, κ 1, α 0.8,
// four influences kept; rows ddm-defaults/…: the defaults of `pelt mush`. For comparison: the plain scalar LBS loop and
// the LBS kernel with the character's own four smooth weights, and v5, which is LBS with the mushed weights.
#include <benchmark/benchmark.h>
#include <pelt/deform/ddm.h>
#include <pelt/deform/ddm_prepare.h>
#include <pelt/deform/lbs.h>
#include <pelt/methods/ddm.h>

#include <map>
#include <memory>
#include <string>

#include "plain_skinning.h"
#include "subjects.h"
#include "timing.h"

namespace pelt::bench {
namespace {

using deform::DdmForm;

constexpr std::size_t kSizes[] = {20000, 55000};
constexpr std::size_t kChunk = 8192;
constexpr std::size_t kInfluences = 4;

DdmRows<float> mushed(const Subject& subject, bool defaults) {
    if (defaults) return methods::mush(subject.character, {}).rows;
    const std::size_t n = subject.character.mesh.vertexCount();
    deform::DdmPreparation preparation(subject.character.mesh, keepHeaviest(subject.character.weights, 1));
    deform::DdmOptions options;
    options.iterations = 20;
    options.lambda.assign(n, 3);
    options.kappa.assign(n, 1);
    options.alpha.assign(n, 0.8);
    preparation.update(options);
    return preparation.rounded(kInfluences);
}

/// The data for measuring one size; created when its first row runs.
struct Setup {
    const Subject& subject;
    std::size_t vertices;
    DdmRows<float> rows;
    deform::LbsRig lbs, v5;
    deform::LbsPose lbs_pose, v5_pose;
    PlainInfluences plain;
    Results positions, normals;
    struct Form {
        deform::DdmRig rig;
        deform::DdmPose pose;
    };
    std::map<DdmForm, std::unique_ptr<Form>> forms;

    Setup(const Subject& s, bool defaults)
        : subject(s),
          vertices(s.character.mesh.vertexCount()),
          rows(mushed(s, defaults)),
          lbs(deform::prepareLbs(s.character.mesh, s.character.weights)),
          v5(deform::prepareLbs(s.character.mesh, deform::plainWeights(rows))),
          lbs_pose(lbs),
          v5_pose(v5),
          plain(plainInfluences(s.character.weights)),
          positions(vertices),
          normals(vertices) {
        lbs_pose.set(s.bones);
        v5_pose.set(s.bones);
    }

    const Form& form(DdmForm form) {
        std::unique_ptr<Form>& made = forms[form];
        if (!made) {
            const deform::DdmRig rig = deform::packDdm(subject.character.mesh, rows, form);
            made = std::make_unique<Form>(Form{rig, deform::DdmPose(rig)});
            made->pose.set(subject.bones);
        }
        return *made;
    }
};

struct Row {
    std::size_t size;
    int threads;
    bool normals, defaults;

    std::string name(const std::string& what) const {
        return (defaults ? "ddm-defaults/" : "ddm/") + what + (normals ? "+normals/" : "/") +
               std::to_string(size / 1000) + "k/" + std::to_string(threads) + "t";
    }
};

Setup& setupOf(const Row& row) {
    static std::map<std::pair<std::size_t, bool>, std::unique_ptr<Setup>> made;
    std::unique_ptr<Setup>& setup = made[{row.size, row.defaults}];
    if (!setup) setup = std::make_unique<Setup>(bipedOf(row.size), row.defaults);
    return *setup;
}

/// `make(setup, row)` returns the range to time and the number of bytes that it streams.
struct Work {
    Range range;
    std::size_t bytes;
};

template <class Make>
void add(const Row& row, const std::string& what, const Make& make) {
    benchmark::RegisterBenchmark(row.name(what).c_str(), [row, make](benchmark::State& state) {
        Setup& s = setupOf(row);
        const Work work = make(s, row);
        const double seconds = bestPass(state, row.threads, s.vertices, kChunk, work.range);
        state.counters["ns_per_vertex"] = seconds * 1e9 / double(s.vertices);
        state.counters["bytes_per_vertex"] = double(work.bytes) / double(s.vertices);
    })->UseRealTime();
}

deform::Output outputOf(Setup& s, const Row& row) {
    return {s.positions.vectors(), row.normals ? s.normals.vectors() : std::span<Vec3f>()};
}

Work lbsWork(const deform::LbsRig& rig, const deform::LbsPose& pose, const deform::Output& out, const Row& row) {
    return {[&rig, &pose, out](std::size_t first, std::size_t last) {
                deform::evaluate(rig, pose, {}, first, last - first, out);
            },
            streamedBytes(rig, row.normals)};
}

void addAll(const Row& row) {
    const std::pair<const char*, DdmForm> forms[] = {{"v0", DdmForm::v0}, {"v1", DdmForm::v1}, {"v2", DdmForm::v2},
                                                     {"v3", DdmForm::v3}, {"v4", DdmForm::v4}, {"eddm", DdmForm::eddm}};
    for (const auto& [what, named] : forms) {
        const DdmForm form = named;  // structured bindings cannot be captured
        add(row, what, [form](Setup& s, const Row& r) -> Work {
            const Setup::Form& f = s.form(form);
            const deform::Output out = outputOf(s, r);
            return {[&f, out](std::size_t first, std::size_t last) {
                        deform::evaluate(f.rig, f.pose, {}, first, last - first, out);
                    },
                    streamedBytes(f.rig, r.normals)};
        });
    }
    add(row, "v5", [](Setup& s, const Row& r) { return lbsWork(s.v5, s.v5_pose, outputOf(s, r), r); });
    add(row, "lbs", [](Setup& s, const Row& r) { return lbsWork(s.lbs, s.lbs_pose, outputOf(s, r), r); });
    add(row, "plain", [](Setup& s, const Row& r) -> Work {
        const Mesh& mesh = s.subject.character.mesh;
        const PlainStreams streams{mesh.positions.data(), r.normals ? mesh.normals.data() : nullptr,
                                   s.positions.vectors().data(), s.normals.vectors().data()};
        return {[&s, streams](std::size_t first, std::size_t last) {
                    plainLbs(s.plain, s.subject.bones.data(), streams, first, last);
                },
                s.vertices * (sizeof(PlainInfluences::Vertex) + 2 * sizeof(Vec3f))};
    });
}

}  // namespace
}  // namespace pelt::bench

int main(int argc, char** argv) {
    for (const std::size_t size : pelt::bench::kSizes)
        for (const bool defaults : {false, true})
            for (const int threads : {1, 2})
                for (const bool normals : {false, true})
                    if (threads == 1 || !normals) pelt::bench::addAll({size, threads, normals, defaults});
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
