#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/pipeline/pose.h>
#include <pelt/rig/clip.h>
#include <pelt/rig/driven_joints.h>
#include <pelt/scenes/scenes.h>

namespace pelt::pipeline {
namespace {

/// A bar on two joints and one that turns half as far as the second; it has half of what the second weighs.
Character barWithHalfWayJoint() {
    Character bar = scenes::find("bar")->make(400);
    bar.weights = scenes::smoothWeights(bar, 0);
    rig::DrivenJointChoice choice;
    choice.scales = false;
    bar.driven = rig::addDrivenJoints(bar.skeleton, choice);
    SkinWeights weights;
    for (std::size_t v = 0; v < bar.weights.vertexCount(); ++v) {
        const double second = bar.weights.influenceCount(v) == 2 ? double(bar.weights.weightsOf(v)[1])
                                                                 : double(bar.weights.jointsOf(v)[0]);
        const std::uint32_t joints[] = {0, 1, 2};
        const float row[] = {float(1 - second), float(second / 2), float(second / 2)};
        appendVertex(weights, joints, row);
    }
    bar.weights = weights;
    return bar;
}

TEST(PoseCharacter, JointsThatOthersDriveFollowThemInTheClip) {
    const Character bar = barWithHalfWayJoint();
    ASSERT_EQ(bar.driven.size(), 1u);
    std::vector<PoseHandle> handles(2);
    handles[0].joint = bar.skeleton.nodes[bar.skeleton.joints[0].node].name;
    handles[0].given = PoseHandle::Given::full;
    handles[1].kind = PoseHandle::Kind::point;
    handles[1].point = {0, 1, 0};
    handles[1].given = PoseHandle::Given::position;
    handles[1].targets = {{0, {0.35, 0.8, 0}}};
    const PoseResult made = poseCharacter(bar, handles, {});
    ASSERT_FALSE(made.character.clips.empty());
    const Skeleton& skeleton = made.character.skeleton;
    const auto keyed = rig::sampleLocals(skeleton, &made.character.clips[0], 0);
    auto driven = keyed;
    rig::applyDrivers(skeleton, made.character.driven, driven);
    for (std::size_t n = 0; n < keyed.size(); ++n)
        for (int a = 0; a < 3; ++a) EXPECT_LT(length(keyed[n].linear().col[a] - driven[n].linear().col[a]), 1e-6);
    const Mat3d turned = keyed[bar.skeleton.joints[1].node].linear(),
                rest = rig::restLocal(skeleton.nodes[bar.skeleton.joints[1].node]).linear();
    EXPECT_GT(length(turned.col[1] - rest.col[1]), 0.2);
}

TEST(PoseCharacter, PiecesThatShareNoJointAreHeldTogetherByTheVolume) {
    Character two = scenes::find("bar")->make(400);
    EXPECT_EQ(energyFor(two), pose::Energy::spokes_and_rims);
    const Mesh one = two.mesh;
    two.weights = {};
    for (const std::uint32_t joint : {0u, 1u})
        for (const Vec3f& p : one.positions) {
            if (joint == 1) two.mesh.positions.push_back(p + Vec3f(5, 0, 0));
            appendVertex(two.weights, std::span(&joint, 1), std::vector<float>{1});
        }
    const auto first = std::uint32_t(one.positions.size());
    for (const Triangle& t : one.triangles) two.mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    EXPECT_EQ(energyFor(two), pose::Energy::tets);
    std::fill(two.weights.joints.begin(), two.weights.joints.end(), 0u);
    EXPECT_EQ(energyFor(two), pose::Energy::spokes_and_rims);
}

/// What is said of a position for the joint.
std::string refusal(const Character& character, const std::string& joint) {
    PoseHandle handle;
    handle.joint = joint;
    handle.given = PoseHandle::Given::position;
    handle.targets = {{0, {1, 1, 1}}};
    try {
        checkHandles(character, std::span(&handle, 1));
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(PoseCharacter, AJointThatMovesNothingOrIsNotAloneInItsNameCannotBeDragged) {
    Character bar = scenes::find("bar")->make(400);
    EXPECT_EQ(refusal(bar, "joint1"), "");
    bar.skeleton.joints.push_back({std::uint32_t(bar.skeleton.nodes.size()), {}});
    bar.skeleton.nodes.push_back({"target", -1, {}, {}});
    EXPECT_NE(refusal(bar, "target").find("moves no vertex"), std::string::npos);
    bar.skeleton.nodes.back().name = "joint1";
    EXPECT_NE(refusal(bar, "joint1").find("several joints"), std::string::npos);
    bar.skeleton.nodes.back() = {"tip", std::int32_t(bar.skeleton.joints[1].node), {}, {}};
    EXPECT_EQ(refusal(bar, "tip"), "") << "it goes with its parent";
}

}  // namespace
}  // namespace pelt::pipeline
