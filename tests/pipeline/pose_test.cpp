#include <gtest/gtest.h>
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

}  // namespace
}  // namespace pelt::pipeline
