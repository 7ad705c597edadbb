// Live posing with rigid joints.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/rig/clip.h>
#include <pelt/rig/driven_joints.h>
#include <pelt/scenes/scenes.h>
#include <pelt/verbs/live_pose.h>

#include "posed.h"

namespace pelt::verbs {
namespace {

using HandleGiven = PoseHandle::Given;

PoseHandle handleOf(const std::string& joint, HandleGiven given, const Vec3d& offset = {}) {
    PoseHandle handle;
    handle.joint = joint;
    handle.given = given;
    handle.offsets = true;
    if (given == HandleGiven::position) handle.targets = {{0, offset}};
    return handle;
}

Character biped() {
    Character made = scenes::find("biped")->make(2000);
    made.weights = scenes::smoothWeights(made, 0);
    return made;
}

std::vector<PoseHandle> reach(const Vec3d& hand) {
    return {handleOf("foot_L", HandleGiven::hold), handleOf("foot_R", HandleGiven::hold),
            handleOf("hand_L", HandleGiven::position, hand)};
}

PoseRequest rigid() {
    PoseRequest request;
    request.keep_lengths = true;
    return request;
}

std::vector<Affine3d> bonesOfClip(const Character& character, double time = 0) {
    return rig::drivenSkinMatrices(character.skeleton, character.driven, &character.clips[0], time);
}

double apart(const std::vector<Affine3d>& a, const std::vector<Affine3d>& b) {
    double most = a.size() == b.size() ? 0 : 1;
    for (std::size_t j = 0; j < a.size(); ++j)
        for (int i = 0; i < 16; ++i) most = std::max(most, std::abs(a[j].m[i] - b[j].m[i]));
    return most;
}

TEST(LivePose, RigidJointsAreWhereThePoseOfTheSameHandlesHasThem) {
    const Character character = biped();
    LivePoser live(character, rigid());
    for (const Vec3d hand : {Vec3d{0, 0.2, 0.1}, Vec3d{-0.3, 0.4, 0.3}, Vec3d{0.5, 0.9, 0}}) {  // the last is too far
        live.setHandles(reach(hand));
        const double missed = live.step(30).energy;
        const Posed posed = poseAll(character, reach(hand), rigid());
        EXPECT_LT(apart(live.bones(), bonesOfClip(posed.character)), 1e-6);
        EXPECT_NEAR(missed, posed.missed, 1e-9);
    }
}

TEST(LivePose, APoseDoesNotDependOnTheWayToIt) {
    const Character character = biped();
    LivePoser straight(character, rigid()), astray(character, rigid());
    for (int i = 0; i < 8; ++i) {
        astray.setHandles(reach({0.1 * i, 0.5 - 0.1 * i, -0.1 * i}));
        astray.step(30);
    }
    for (LivePoser* live : {&straight, &astray}) {
        live->setHandles(reach({-0.2, 0.3, 0.2}));
        live->step(30);
    }
    EXPECT_EQ(apart(straight.bones(), astray.bones()), 0);
}

TEST(LivePose, StartsFromAMomentOfAClipAndKeepsLimits) {
    const Character character = biped();
    PoseRequest request = rigid();
    request.clip = "walk";
    request.at = 0.4;
    request.limits = rig::RangeOfMotion{};
    LivePoser live(character, request);
    const auto start = rig::drivenSkinMatrices(character.skeleton, {}, &character.clips[0], 0.4);
    EXPECT_LT(apart(live.bones(), start), 1e-9);
    live.setHandles(reach({-0.1, 0.2, 0.1}));
    live.step(30);
    EXPECT_LT(apart(live.bones(), bonesOfClip(poseAll(character, reach({-0.1, 0.2, 0.1}), request).character)), 1e-6);
    EXPECT_GT(apart(live.bones(), start), 0.01);
}

TEST(LivePose, PointsAndRegionsOfTheSkinAreHandlesOfRigidJoints) {
    const Character character = biped();
    std::vector<PoseHandle> handles = reach({-0.1, 0.2, 0.1});
    PoseHandle region;
    region.kind = PoseHandle::Kind::region;
    region.region = {3, 4, 5};
    region.given = HandleGiven::position;
    region.offsets = true;
    region.targets = {{0, {0, 0.05, 0.05}}};
    handles.push_back(region);
    LivePoser live(character, rigid());
    live.setHandles(handles);
    live.step(30);
    EXPECT_LT(apart(live.bones(), bonesOfClip(poseAll(character, handles, rigid()).character)), 1e-6);
}

TEST(LivePose, TheClipOfKeyedHandlesIsThatOfThePose) {
    const Character character = biped();
    std::vector<PoseHandle> handles = reach({});
    handles[2].targets = {{0, {}}, {0.3, {-0.2, 0.3, 0.2}}};
    handles[2].keyed = true;
    LivePoser live(character, rigid());
    live.setHandles(handles);
    Character played = character;
    played.clips.insert(played.clips.begin(), live.clip());
    const Posed posed = poseAll(character, handles, rigid());
    for (const double t : {0.0, 0.1, 0.17, 0.3})
        EXPECT_LT(apart(bonesOfClip(played, t), bonesOfClip(posed.character, t)), 1e-6);
}

TEST(LivePose, LooseJointsAreWhereThePoseHasThemToo) {
    Character pair = scenes::find("bar")->make(300);
    pair.weights = scenes::smoothWeights(pair, 0);
    for (SkeletonNode& node : pair.skeleton.nodes) node.parent = -1;
    const std::string names[] = {pair.skeleton.nodes[pair.skeleton.joints[0].node].name,
                                 pair.skeleton.nodes[pair.skeleton.joints[1].node].name};
    const std::vector<PoseHandle> handles{handleOf(names[0], HandleGiven::hold),
                                          handleOf(names[1], HandleGiven::position, {0.1, 0.05, 0})};
    LivePoser live(pair, rigid());
    live.setHandles(handles);
    live.step(30);
    EXPECT_LT(apart(live.bones(), bonesOfClip(poseAll(pair, handles, rigid()).character)), 1e-6);
}

TEST(LivePose, HandlesThatCannotBeAreRefusedAndTheOthersStay) {
    const Character character = biped();
    LivePoser live(character, rigid());
    live.setHandles(reach({0, 0.2, 0}));
    live.step(30);
    const auto before = live.bones();
    EXPECT_THROW(live.setHandles(std::vector{handleOf("tail", HandleGiven::hold)}), Error);
    EXPECT_EQ(apart(live.bones(), before), 0);
    LivePoser free(character, PoseRequest{});
    free.setHandles(reach({0, 0.2, 0}));
    EXPECT_THROW(free.clip(), Error);
}

TEST(PoseCharacter, NodesThatStartPosedStayWhereAllHandlesHoldThem) {
    Character character = biped();
    for (Joint& joint : character.skeleton.joints) {
        SkeletonNode& node = character.skeleton.nodes[joint.node];
        const double angle = node.name.find("arm") != std::string::npos ? 0.9 : 0.2;
        node.local.rotation = toQuat(toMatrix(node.local.rotation) * toMatrix(axisAngle(Vec3d{0.6, 0, 0.8}, angle)));
    }
    character.clips.clear();
    const auto start = rig::drivenSkinMatrices(character.skeleton, {}, nullptr, 0);
    for (const HandleGiven given : {HandleGiven::hold, HandleGiven::position}) {
        const std::vector<PoseHandle> handles{handleOf("foot_L", given), handleOf("foot_R", given),
                                              handleOf("hand_L", given), handleOf("head", given)};
        EXPECT_LT(apart(bonesOfClip(poseAll(character, handles, rigid()).character), start), 1e-5);
    }
}

}  // namespace
}  // namespace pelt::verbs
