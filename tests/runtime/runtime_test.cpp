#include <gtest/gtest.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <numeric>

#include "../deform/instruction_sets.h"
#include "../rig/virtual_joint.h"
#include "rig_case.h"

namespace pelt::runtime {
namespace {

double farthest(std::span<const Vec3f> a, std::span<const Vec3f> b) {
    double far = a.size() == b.size() ? 0 : 1e300;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) far = std::max(far, double(length(a[i] - b[i])));
    return far;
}

template <class SkinRig, class SkinPose>
void expectRestPose(const RigCase& c, RigKind kind, double tolerance) {
    const SkinRig rig = *SkinRig::view(c.of(kind));
    AlignedBytes memory(SkinPose::bytes(rig));
    std::fill_n(memory.data(), memory.size(), std::byte(0xAB));
    const SkinPose pose(rig, memory);
    Vertices v{std::vector<Vec3f>(rig.vertexCount()), std::vector<Vec3f>(rig.vertexCount())};
    evaluate(rig, pose, {}, 0, rig.vertexCount(), {v.positions, v.normals});
    EXPECT_LE(farthest(v.positions, c.character.mesh.positions), tolerance);
    EXPECT_LE(farthest(v.normals, c.character.mesh.normals), tolerance + 2e-7);
}

TEST(Runtime, APoseIsTheRestPoseUntilItIsSet) {
    const RigCase c;
    expectRestPose<LbsRig, LbsPose>(c, RigKind::lbs, 0);
    expectRestPose<DqsRig, DqsPose>(c, RigKind::dqs, 0);
    expectRestPose<DdmRig, DdmPose>(c, RigKind::ddm, 3e-7);
}

TEST(Runtime, PosesOfOneRigDoNotDisturbEachOther) {
    const RigCase c;
    const LbsRig rig = *LbsRig::view(c.of(RigKind::lbs));
    AlignedBytes memory(2 * LbsPose::bytes(rig));
    const std::span<std::byte> both = memory;
    LbsPose first(rig, both.first(both.size() / 2)), second(rig, both.last(both.size() / 2));
    const std::vector<Affine3f> rest(c.bones.size());
    first.set(c.bones);
    second.set(rest);
    std::vector<Vec3f> a(rig.vertexCount()), b = a;
    evaluate(rig, first, {}, 0, a.size(), {a, {}});
    evaluate(rig, second, {}, 0, b.size(), {b, {}});
    EXPECT_EQ(b, c.character.mesh.positions);
    EXPECT_EQ(a, (playSkin<LbsRig, LbsPose>(rig, c.bones).positions));
}

TEST(Runtime, MorphsInRangesAreWhatTheToolkitAdds) {
    const RigCase c;
    const MorphRig rig = *MorphRig::view(c.of(RigKind::morphs));
    const Mesh& mesh = c.character.mesh;
    ASSERT_EQ(rig.targetCount(), 2u);
    EXPECT_EQ(rig.targetName(1), "tall");
    EXPECT_EQ(rig.defaultWeight(0), 0.25f);
    for (const std::vector<float>& weights : {std::vector<float>{0, 0}, {0.5f, 0}, {0, 2}, {-1, 0.3f}}) {
        Vertices expected{mesh.positions, mesh.normals};
        rig::addMorphs(mesh, weights, expected.positions, expected.normals);
        Vertices cut{std::vector<Vec3f>(mesh.vertexCount()), std::vector<Vec3f>(mesh.vertexCount())};
        for (std::size_t first = 0; first < mesh.vertexCount(); first += 37)
            morph(rig, weights, first, std::min<std::size_t>(37, mesh.vertexCount() - first),
                  {cut.positions, cut.normals});
        EXPECT_EQ(cut, expected);
    }
}

/// The local transforms of a pose, as an engine would have them.
std::vector<LocalTransform> localsOf(const std::vector<Affine3d>& matrices) {
    std::vector<LocalTransform> locals;
    for (const Affine3d& m : matrices) {
        const Trs t = rig::trsOf(m);
        const Quatf q{float(t.rotation.x), float(t.rotation.y), float(t.rotation.z), float(t.rotation.w)};
        locals.push_back({Vec3f(t.translation), q, Vec3f(t.scale)});
    }
    return locals;
}

void expectSameBones(const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven, const Clip& clip) {
    const AlignedBytes bytes = rig::packSkeleton(skeleton, driven);
    const auto rig = SkeletonRig::view(bytes);
    ASSERT_TRUE(rig) << describe(rig.error());
    EXPECT_EQ(rig->driverCount(), driven.size());
    std::vector<Affine3f> worlds(rig->nodeCount()), bones(rig->jointCount());
    for (const double t : {0.0, 0.4, 1.0, 2.3}) {
        std::vector<LocalTransform> locals = localsOf(rig::sampleLocals(skeleton, &clip, t));
        for (const rig::DrivenJoint& joint : driven) locals[joint.node] = {{9, 9, 9}, {}, {9, 9, 9}};
        applyDrivers(*rig, locals);
        skinMatrices(*rig, locals, worlds, bones);
        const auto expected = rig::drivenSkinMatrices(skeleton, driven, &clip, t);
        for (std::size_t j = 0; j < bones.size(); ++j)
            for (int i = 0; i < 16; ++i) EXPECT_NEAR(bones[j].m[i], expected[j].m[i], 1e-5) << j << ' ' << i;
    }
}

TEST(Runtime, DrivenJointsFollowAsInTheToolkit) {
    const RigCase c;
    ASSERT_GT(c.character.driven.size(), 4u);
    expectSameBones(c.character.skeleton, c.character.driven, c.character.clips.front());
}

TEST(Runtime, LearnedJointsFollowAsInTheToolkit) {
    Character arm = scenes::find("arm")->make(200);
    rig::DrivenJoint joint;
    joint.placed.translation = {0.1, 0.2, 0};
    for (const std::uint32_t node : {1u, 2u}) joint.inputs.push_back({node, arm.skeleton.nodes[node].local.rotation});
    for (std::size_t i = 0; i < 2 * 6 * kLearnedTerms; ++i) joint.coefficients.push_back(0.05 * std::sin(double(i)));
    joint.driver = 1;
    rig::addLearnedJoint(arm.skeleton, joint, 1, arm.driven);
    expectSameBones(arm.skeleton, arm.driven, arm.clips.front());
}

TEST(Runtime, VirtualJointsFollowAsInTheToolkit) {
    Character arm = scenes::find("arm")->make(200);
    std::vector<std::uint32_t> slots(arm.skeleton.joints.size());
    std::iota(slots.begin(), slots.end(), 0u);
    for (int i = 0; i < 40; ++i) {
        addSomeVirtualJoint(arm.skeleton, slots, arm.driven);
        std::rotate(slots.begin(), slots.begin() + 1, slots.end());
    }
    arm.driven[3].frame_scale = 2.5;
    deform::onEachInstructionSet([&](std::int64_t) { expectSameBones(arm.skeleton, arm.driven, arm.clips.front()); });
    // Joints that scale: Enhanced DDM.
    Clip scaled = arm.clips.front();
    Channel grow;
    grow.target = arm.skeleton.joints[1].node;
    grow.path = ChannelPath::scale;
    grow.times = {0, 3};
    grow.values = {1, 1, 1, 1.5f, 0.7f, 1.2f};
    scaled.channels.push_back(grow);
    expectSameBones(arm.skeleton, arm.driven, scaled);
}

TEST(Runtime, VirtualJointsMayFollowHundredsOfOthers) {
    Character arm = scenes::find("arm")->make(200);
    Skeleton& skeleton = arm.skeleton;
    const std::size_t own = skeleton.joints.size();
    std::vector<std::uint32_t> slots;
    for (std::uint32_t i = 0; i < 150; ++i) {
        const Joint& parent = skeleton.joints[i % own];
        const Trs local{{0.01 * i, 0.1, 0}, axisAngle(Vec3d{1, 0.1 * i, 0}, 0.3), {1, 1, 1}};
        skeleton.nodes.push_back({"more" + std::to_string(i), std::int32_t(parent.node), local, {}});
        slots.push_back(std::uint32_t(skeleton.joints.size()));
        skeleton.joints.push_back(
            {std::uint32_t(skeleton.nodes.size() - 1), inverse(toAffine(local)) * parent.inverse_bind});
    }
    for (int i = 0; i < 15; ++i) {
        addSomeVirtualJoint(skeleton, {slots.begin(), slots.begin() + 10}, arm.driven);
        std::rotate(slots.begin(), slots.begin() + 10, slots.end());
    }
    expectSameBones(skeleton, arm.driven, arm.clips.front());
}

TEST(Runtime, ASkeletonSaysWhatItsNodesAndJointsAre) {
    const RigCase c;
    const Skeleton& skeleton = c.character.skeleton;
    const SkeletonRig rig = *SkeletonRig::view(c.of(RigKind::skeleton));
    ASSERT_EQ(rig.nodeCount(), skeleton.nodes.size());
    ASSERT_EQ(rig.jointCount(), skeleton.joints.size());
    for (std::size_t n = 0; n < rig.nodeCount(); ++n) {
        EXPECT_EQ(rig.nodeName(n), skeleton.nodes[n].name);
        EXPECT_EQ(rig.nodeParent(n), skeleton.nodes[n].parent);
    }
    for (std::size_t j = 0; j < rig.jointCount(); ++j) EXPECT_EQ(rig.jointNode(j), skeleton.joints[j].node);
}

TEST(Runtime, APackedRigIsRefusedWhereItsBytesAreNone) { EXPECT_THROW(deform::LbsRig(AlignedBytes(640)), Error); }

}  // namespace
}  // namespace pelt::runtime
