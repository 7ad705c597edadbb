// Virtual joints: microseconds per pose of the built-in biped on one thread. Rows are virtual/WHAT/VERTICES: lbs is
// linear blend skinning with smooth weights of at most four joints, joints and skin included; virtual is the same with
// 128 virtual joints; v0 is Direct Delta Mush. bytes are those of the packed rigs; ratio_bytes relates them to v0's.
// ns_per_vertex and bytes_per_vertex are the same per vertex.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <pelt/deform/ddm.h>
#include <pelt/deform/lbs.h>
#include <pelt/methods/ddm.h>
#include <pelt/rig/pack.h>
#include <pelt/scenes/scenes.h>
#include <pelt/verbs/bake.h>

#include <map>
#include <optional>

namespace pelt::bench {
namespace {

constexpr std::size_t kVirtualSizes[] = {20000, 55000};
constexpr std::size_t kVirtualJoints = 128;

/// A character and what it is posed with.
struct Posed {
    Character character;
    AlignedBytes skeleton;
    deform::LbsRig skin;
    std::vector<runtime::LocalTransform> locals;

    explicit Posed(Character given)
        : character(std::move(given)),
          skeleton(rig::packSkeleton(character.skeleton, character.driven)),
          skin(deform::prepareLbs(character.mesh, character.weights,
                                  character.driven.empty() ? deform::LbsForm::full : deform::LbsForm::compact)) {
        const Clip& clip = character.clips.front();
        for (const Affine3d& m : rig::sampleLocals(character.skeleton, &clip, 0.37 * clip.last_key)) {
            const Trs t = rig::trsOf(m);
            const Quatd& q = t.rotation;
            locals.push_back({Vec3f(t.translation), {float(q.x), float(q.y), float(q.z), float(q.w)}, Vec3f(t.scale)});
        }
    }
};

struct VirtualSubject {
    Posed plain, baked;
    deform::DdmRig mush;

    static VirtualSubject make(std::size_t vertices) {
        Character biped = scenes::find("biped")->make(vertices);
        verbs::BakeRequest request;
        request.virtual_joints = kVirtualJoints;
        Character baked = verbs::bake(biped, request).character;
        const auto rows = methods::ddmRows(biped, {}, {});
        auto mush = deform::packDdm(biped.mesh, rows, deform::DdmForm::v0);
        biped.weights = scenes::smoothWeights(biped, 4);
        return {Posed(std::move(biped)), Posed(std::move(baked)), std::move(mush)};
    }
};

const VirtualSubject& subjectOf(std::size_t vertices) {
    static std::map<std::size_t, VirtualSubject> made;
    const auto found = made.find(vertices);
    return found != made.end() ? found->second : made.emplace(vertices, VirtualSubject::make(vertices)).first->second;
}

/// Joints and skin of one pose.
void pose(benchmark::State& state, const Posed& posed, const deform::DdmRig* mush) {
    const auto skeleton = runtime::SkeletonRig::view(posed.skeleton);
    std::vector<Affine3f> worlds(skeleton->nodeCount()), bones(skeleton->jointCount());
    std::vector<Vec3f> positions(posed.character.mesh.vertexCount()), normals(positions.size());
    deform::LbsPose skin_pose(posed.skin);
    std::optional<deform::DdmPose> mush_pose;
    if (mush) mush_pose.emplace(*mush);
    for (auto _ : state) {
        runtime::skinMatrices(*skeleton, posed.locals, worlds, bones);
        if (mush) {
            mush_pose->set(bones);
            deform::evaluate(*mush, *mush_pose, {}, 0, positions.size(), {positions, normals});
        } else {
            skin_pose.set(bones);
            deform::evaluate(posed.skin, skin_pose, {}, 0, positions.size(), {positions, normals});
        }
        benchmark::DoNotOptimize(positions.data());
    }
    const std::size_t bytes = (mush ? mush->bytes().size() : posed.skin.bytes().size()) + posed.skeleton.size();
    const auto vertices = double(positions.size());
    state.counters["bytes"] = double(bytes);
    state.counters["bytes_per_vertex"] = double(bytes) / vertices;
    const auto kPerVertex = benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert;
    state.counters["ns_per_vertex"] = benchmark::Counter(vertices * 1e-9, kPerVertex);
}

void runVirtual(benchmark::State& state, std::size_t vertices, const std::string& what) {
    const VirtualSubject& subject = subjectOf(vertices);
    pose(state, what == "virtual" ? subject.baked : subject.plain, what == "v0" ? &subject.mush : nullptr);
    state.counters["ratio_bytes"] = state.counters["bytes"] / double(subject.mush.bytes().size());
}

}  // namespace
}  // namespace pelt::bench

int main(int argc, char** argv) {
    using namespace pelt;
    for (const std::size_t vertices : bench::kVirtualSizes)
        for (const char* what : {"lbs", "virtual", "v0"})
            benchmark::RegisterBenchmark(fmt::format("virtual/{}/{}k", what, vertices / 1000).c_str(),
                                         [=](benchmark::State& state) { bench::runVirtual(state, vertices, what); })
                ->Unit(benchmark::kMicrosecond);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
