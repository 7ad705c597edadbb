// What an engine does with packed rigs.
#include <gtest/gtest.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <numeric>

#include "deform/instruction_sets.h"
#include "rig/virtual_joint.h"
#include "rig_case.h"

namespace pelt::runtime {
namespace {

double farthest(std::span<const Vec3f> a, std::span<const Vec3f> b) {
    double far = a.size() == b.size() ? 0 : 1e300;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) far = std::max(far, double(length(a[i] - b[i])));
    return far;
}

template <class KindRig, class KindPose>
void expectRestPose(const RigCase& c, RigKind kind, double tolerance) {
    const KindRig rig = *KindRig::view(c.of(kind));
    AlignedBytes memory(KindPose::bytes(rig));
    std::fill_n(memory.data(), memory.size(), std::byte(0xAB));
    const KindPose pose(rig, memory);
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

template <class KindRig, class KindPose>
void expectWhateverSkin(const RigCase& c, RigKind kind) {
    std::vector<std::byte> file;
    for (const RigKind part : {RigKind::skeleton, RigKind::morphs, kind})
        file.insert(file.end(), c.of(part).begin(), c.of(part).end());
    GuardedBytes bytes(file);
    const auto any = SkinRig::view(bytes.bytes());
    ASSERT_TRUE(any) << describe(any.error());
    const KindRig own = *KindRig::view(c.of(kind));
    EXPECT_EQ(any->kind(), kind);
    EXPECT_TRUE(std::holds_alternative<KindRig>(any->any()));
    EXPECT_EQ(any->bytes().data(), findRig(bytes.bytes(), kind).data());
    EXPECT_EQ(any->vertexCount(), own.vertexCount());
    EXPECT_EQ(any->jointCount(), own.jointCount());
    EXPECT_EQ(any->hasNormals(), own.hasNormals());
    EXPECT_EQ(SkinPose::bytes(*any), KindPose::bytes(own));
    for (const bool normals : {false, true}) EXPECT_EQ(streamedBytes(*any, normals), streamedBytes(own, normals));
    EXPECT_EQ((playSkin<SkinRig, SkinPose>(*any, c.bones)), (playSkin<KindRig, KindPose>(own, c.bones)));
}

TEST(Runtime, ASkinIsPlayedWhicheverMethodItWasPackedFor) {
    const RigCase c;
    expectWhateverSkin<LbsRig, LbsPose>(c, RigKind::lbs);
    expectWhateverSkin<DqsRig, DqsPose>(c, RigKind::dqs);
    expectWhateverSkin<DdmRig, DdmPose>(c, RigKind::ddm);
    static_assert(noexcept(SkinRig::view({})));
    static_assert(noexcept(std::declval<SkinPose&>().set({})));
    static_assert(noexcept(evaluate(std::declval<SkinRig>(), std::declval<SkinPose>(), {}, 0, 0, {})));
}

// A job morphs and skins its range in two buffers of that size.
TEST(Runtime, MorphsOfABlockAreSkinnedInABlock) {
    const RigCase c;
    const MorphRig morphs = *MorphRig::view(c.of(RigKind::morphs));
    const SkinRig skin = *SkinRig::view(c.of(RigKind::dqs));
    const std::size_t count = skin.vertexCount();
    const std::vector<float> weights{0.7f, -0.4f};
    AlignedBytes memory(SkinPose::bytes(skin));
    SkinPose pose(skin, memory);
    pose.set(c.bones);
    Vertices rest{std::vector<Vec3f>(count), std::vector<Vec3f>(count)}, posed = rest, cut = rest;
    morph(morphs, weights, 0, count, {rest.positions, rest.normals});
    evaluate(skin, pose, {rest.positions, rest.normals}, 0, count, {posed.positions, posed.normals});
    for (std::size_t first = 0; first < count; first += 37) {
        const std::size_t size = std::min<std::size_t>(37, count - first);
        Vertices shape{std::vector<Vec3f>(size), std::vector<Vec3f>(size)}, block = shape;
        morph(morphs, weights, first, size, {shape.positions, shape.normals, first});
        evaluate(skin, pose, {shape.positions, shape.normals, first}, first, size,
                 {block.positions, block.normals, first});
        std::copy(block.positions.begin(), block.positions.end(), cut.positions.begin() + std::ptrdiff_t(first));
        std::copy(block.normals.begin(), block.normals.end(), cut.normals.begin() + std::ptrdiff_t(first));
        morph(morphs, weights, first, size, {shape.positions, {}, first});
        EXPECT_TRUE(
            std::equal(shape.positions.begin(), shape.positions.end(), rest.positions.begin() + std::ptrdiff_t(first)));
    }
    EXPECT_EQ(cut, posed);
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

/// An engine computes the transforms of nodes itself: the virtual joints follow, and its bones are the same.
void expectSameBonesOfWorlds(const SkeletonRig& rig, std::span<const rig::DrivenJoint> driven,
                             std::span<const Affine3f> worlds, std::span<const Affine3f> bones) {
    std::vector<Affine3f> own(worlds.begin(), worlds.end());
    for (const rig::DrivenJoint& joint : driven)
        if (joint.kind() == DriverKind::ddm) own[joint.node] = {Mat3f{}, {9, 9, 9}};
    applyVirtualJoints(rig, own);
    for (std::size_t n = 0; n < own.size(); ++n)
        EXPECT_TRUE(std::equal(std::begin(own[n].m), std::end(own[n].m), std::begin(worlds[n].m))) << n;
    for (std::size_t j = 0; j < bones.size(); ++j) {
        const Affine3f bone = own[rig.jointNode(j)] * rig.jointInverseBind(j);
        for (int i = 0; i < 16; ++i) EXPECT_NEAR(bone.m[i], bones[j].m[i], 1e-5) << j << ' ' << i;
    }
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
        expectSameBonesOfWorlds(*rig, driven, worlds, bones);
    }
}

TEST(Runtime, DrivenJointsFollowAsInTheToolkit) {
    const RigCase c;
    ASSERT_GT(c.character.driven.size(), 4u);
    expectSameBones(c.character.skeleton, c.character.driven, c.character.clips.front());
}

TEST(Runtime, LearnedJointsFollowAsInTheToolkit) {
    Character arm = scenes::find("arm")->make(200);
    rig::DrivenLearned joint;
    joint.placed.translation = {0.1, 0.2, 0};
    for (const std::uint32_t node : {1u, 2u}) joint.inputs.push_back({node, arm.skeleton.nodes[node].local.rotation});
    for (std::size_t i = 0; i < 2 * 6 * kLearnedTerms; ++i) joint.coefficients.push_back(0.05 * std::sin(double(i)));
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
    std::get<rig::DrivenVirtual>(arm.driven[3].motion).frame_scale = 2.5;
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
    for (std::size_t j = 0; j < rig.jointCount(); ++j) {
        EXPECT_EQ(rig.jointNode(j), skeleton.joints[j].node);
        const Affine3f inverse_bind(skeleton.joints[j].inverse_bind), packed = rig.jointInverseBind(j);
        EXPECT_TRUE(std::equal(std::begin(packed.m), std::end(packed.m), std::begin(inverse_bind.m))) << j;
    }
}

TEST(Runtime, APackedRigIsRefusedWhereItsBytesAreNone) { EXPECT_THROW(deform::LbsRig(AlignedBytes(640)), Error); }

}  // namespace
}  // namespace pelt::runtime
