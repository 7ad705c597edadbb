// Joints driven by others.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/rig/driven_joints.h>
#include <pelt/scenes/scenes.h>

#include <cmath>
#include <numbers>

// Properties of the extra joints of [MohrGleicher03] §4.1.

namespace pelt::rig {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// A straight limb along x: shoulder, elbow at 2, wrist at 4.
Skeleton limb() {
    Skeleton skeleton;
    skeleton.nodes = {{"shoulder", -1, {}, {}},
                      {"elbow", 0, {{2, 0, 0}, {}, {1, 1, 1}}, {}},
                      {"wrist", 1, {{2, 0, 0}, {}, {1, 1, 1}}, {}}};
    skeleton.joints = {{0, {}}, {1, {Mat3d{}, {-2, 0, 0}}}, {2, {Mat3d{}, {-4, 0, 0}}}};
    return skeleton;
}

std::vector<Affine3d> restLocals(const Skeleton& skeleton) {
    std::vector<Affine3d> locals;
    for (const SkeletonNode& node : skeleton.nodes) locals.push_back(restLocal(node));
    return locals;
}

void turn(std::vector<Affine3d>& locals, std::size_t node, const Vec3d& axis, double degrees) {
    locals[node] = locals[node] * Affine3d(toMatrix(axisAngle(axis, degrees * kDegree)), {});
}

std::vector<Affine3d> skin(const Skeleton& skeleton, const std::vector<Affine3d>& locals) {
    std::vector<Affine3d> world(locals.size()), bones;
    worldTransforms(skeleton, locals, world);
    for (const Joint& joint : skeleton.joints) bones.push_back(world[joint.node] * joint.inverse_bind);
    return bones;
}

double apart(const Affine3d& a, const Affine3d& b) {
    double most = 0;
    for (int i = 0; i < 16; ++i) most = std::max(most, std::abs(a.m[i] - b.m[i]));
    return most;
}

std::vector<Affine3d> posedSkin(const Skeleton& skeleton, const std::vector<DrivenJoint>& driven,
                                std::vector<Affine3d> locals) {
    applyDrivers(skeleton, driven, locals);
    return skin(skeleton, locals);
}

Vec3d scaleOf(const Affine3d& a) {
    const Mat3d m = a.linear();
    return {length(m.col[0]), length(m.col[1]), length(m.col[2])};
}

DrivenJointChoice rotationsOnly(std::size_t count) {
    DrivenJointChoice choice;
    choice.rotations = count;
    choice.scales = false;
    return choice;
}

TEST(DrivenJoints, AHalfWayJointTurnsHalfAsFarWhereItsDriverIs) {
    Skeleton skeleton = limb();
    const auto driven = addDrivenJoints(skeleton, rotationsOnly(1));
    ASSERT_EQ(driven.size(), 2u);  // elbow and wrist; none for the root
    auto locals = restLocals(skeleton);
    turn(locals, 1, {0, 0, 1}, 100);
    const auto bones = posedSkin(skeleton, driven, locals);
    const double half = 50 * kDegree;
    const Vec3d expected{2 + std::cos(half), std::sin(half), 0};
    EXPECT_LT(length(bones[3] * Vec3d{3, 0, 0} - expected), 1e-12);
    EXPECT_LT(length(bones[3] * Vec3d{2, 0, 0} - Vec3d{2, 0, 0}), 1e-12);
    // The wrist did not turn against its parent: its half-way joint moves along with it.
    EXPECT_LT(apart(bones[4], bones[2]), 1e-12);
}

TEST(DrivenJoints, SeveralRotationsShareTheAngleEvenly) {
    Skeleton skeleton = limb();
    DrivenJointChoice choice = rotationsOnly(3);
    choice.drivers = {1};
    const auto driven = addDrivenJoints(skeleton, choice);
    ASSERT_EQ(driven.size(), 3u);
    auto locals = restLocals(skeleton);
    turn(locals, 1, {1, 0, 0}, 160);
    const auto bones = posedSkin(skeleton, driven, locals);
    for (std::size_t i = 0; i < 3; ++i) {
        const double angle = double(i + 1) * 40 * kDegree;
        EXPECT_LT(length(bones[3 + i] * Vec3d{2, 1, 0} - Vec3d{2, std::cos(angle), std::sin(angle)}), 1e-12);
    }
}

TEST(DrivenJoints, ScalesGoAcrossTheBonesOfJointsThatHaveParentAndChild) {
    Skeleton skeleton = limb();
    const auto driven = addDrivenJoints(skeleton);
    ASSERT_EQ(driven.size(), 1u + 8u + 1u);
    std::size_t up = 0, down = 0;
    for (const DrivenJoint& joint : driven) {
        if (joint.kind() != DriverKind::scale) continue;
        EXPECT_EQ(joint.driver, 1u);
        const SkeletonNode& node = skeleton.nodes[joint.node];
        (node.parent == 0 ? up : down) += 1;
        EXPECT_LT(length(node.local.translation - Vec3d{1, 0, 0}), 1e-12);  // the middle of either bone
    }
    EXPECT_EQ(up, 4u);
    EXPECT_EQ(down, 4u);
}

TEST(DrivenJoints, AStraightLimbIsNotScaledAndAFoldedOneByOnePlusK) {
    Skeleton skeleton = limb();
    DrivenJointChoice choice;
    choice.rotations = 0;
    choice.k = 6;
    const auto driven = addDrivenJoints(skeleton, choice);
    const struct { double degrees, s; } cases[] = {{0, 1}, {90, 4}, {180, 7}};
    for (const auto& [degrees, s] : cases) {
        auto locals = restLocals(skeleton);
        turn(locals, 1, {0, 0, 1}, degrees);
        applyDrivers(skeleton, driven, locals);
        for (std::size_t i = 0; i < driven.size(); ++i) {
            const bool first = i % 2 == 0, shrinks = i % 4 >= 2;
            const double expected = shrinks ? 1 / s : s;
            const Vec3d scale = scaleOf(locals[driven[i].node]);
            EXPECT_NEAR(scale.x, 1, 1e-12);
            EXPECT_NEAR(scale.y, first ? expected : 1, 1e-12) << i << " at " << degrees;
            EXPECT_NEAR(scale.z, first ? 1 : expected, 1e-12) << i << " at " << degrees;
        }
    }
}

TEST(DrivenJoints, SeveralChildrenPullTogether) {
    Skeleton skeleton = limb();
    // The elbow gets a second hand: the sum of both bones is at right angles to the upper arm.
    skeleton.nodes.push_back({"other", 1, {{-2, 2, 0}, {}, {1, 1, 1}}, {}});
    skeleton.joints.push_back({3, {Mat3d{}, {0, -2, 0}}});
    DrivenJointChoice choice;
    choice.rotations = 0;
    choice.drivers = {1};
    const auto driven = addDrivenJoints(skeleton, choice);
    ASSERT_EQ(driven.size(), 4u + 2 * 4u);
    auto locals = restLocals(skeleton);
    applyDrivers(skeleton, driven, locals);
    EXPECT_NEAR(driven[0].as<DrivenScale>()->bind_scale, 5, 1e-12);  // 1 + 8/2 (0 + 1)
    EXPECT_NEAR(scaleOf(locals[driven[0].node]).y, 1, 1e-12);
    turn(locals, 1, {0, 0, 1}, 90);
    applyDrivers(skeleton, driven, locals);
    EXPECT_GT(std::abs(scaleOf(locals[driven[0].node]).y - 1), 0.5);
}

/// The elbow is bound bent, the nodes rest otherwise, and a node that is no joint sits between two joints.
Skeleton awkward() {
    Skeleton skeleton;
    skeleton.nodes = {{"armature", -1, {{0, 0, 3}, axisAngle(Vec3d{1, 0, 0}, 0.4), {2, 2, 2}}, {}},
                      {"shoulder", 0, {{1, 0, 0}, axisAngle(Vec3d{0, 1, 1}, 0.3), {1, 1, 1}}, {}},
                      {"helper", 1, {{1, 0, 0}, axisAngle(Vec3d{0, 0, 1}, 0.2), {1, 1, 1}}, {}},
                      {"elbow", 2, {{1, 0.2, 0}, axisAngle(Vec3d{1, 0, 1}, 0.7), {1, 1, 1}}, {}},
                      {"wrist", 3, {{2, 0, 0.3}, {}, {1, 1, 1}}, {}}};
    auto bound = restLocals(skeleton);
    turn(bound, 3, {0, 1, 0.2}, 35);
    turn(bound, 4, {0, 1, 0}, -20);
    std::vector<Affine3d> world(bound.size());
    worldTransforms(skeleton, bound, world);
    for (const std::uint32_t node : {1u, 3u, 4u}) skeleton.joints.push_back({node, inverse(world[node])});
    return skeleton;
}

TEST(DrivenJoints, NothingMovesInTheBindPose) {
    Skeleton skeleton = awkward();
    const std::size_t nodes = skeleton.nodes.size();
    const auto driven = addDrivenJoints(skeleton);
    ASSERT_EQ(driven.size(), 10u);
    auto locals = restLocals(skeleton);
    turn(locals, 3, {0, 1, 0.2}, 35);
    turn(locals, 4, {0, 1, 0}, -20);
    for (const Affine3d& bone : posedSkin(skeleton, driven, locals)) EXPECT_LT(apart(bone, {}), 1e-12);
    // The nodes themselves rest where their drivers' rest pose asks for.
    const auto rest = restLocals(skeleton);
    auto driven_rest = rest;
    applyDrivers(skeleton, driven, driven_rest);
    for (std::size_t n = nodes; n < rest.size(); ++n) EXPECT_LT(apart(rest[n], driven_rest[n]), 1e-12);
}

TEST(DrivenJoints, MovingTheWholeCharacterDrivesNothing) {
    Skeleton skeleton = awkward();
    const auto driven = addDrivenJoints(skeleton);
    auto locals = restLocals(skeleton);
    turn(locals, 3, {0, 0, 1}, 70);
    const auto before = posedSkin(skeleton, driven, locals);
    const Affine3d motion(toMatrix(axisAngle(Vec3d{1, 2, 3}, 2.5)), {1, 2, 3});
    locals[0] = motion * locals[0];
    const auto after = posedSkin(skeleton, driven, locals);
    for (std::size_t j = 0; j < before.size(); ++j) EXPECT_LT(apart(after[j], motion * before[j]), 1e-11);
}

TEST(DrivenJoints, OnesThatAreNotWantedLeaveNoTrace) {
    Skeleton skeleton = limb();
    auto driven = addDrivenJoints(skeleton);
    auto locals = restLocals(skeleton);
    turn(locals, 1, {0, 0, 1}, 100);
    const auto all = posedSkin(skeleton, driven, locals);
    std::vector<bool> keep(driven.size(), false);
    keep[3] = keep[9] = true;
    const auto slots = keepDrivenJoints(skeleton, driven, keep);
    ASSERT_EQ(driven.size(), 2u);
    ASSERT_EQ(skeleton.nodes.size(), 5u);
    ASSERT_EQ(skeleton.joints.size(), 5u);
    locals.resize(5);
    const auto kept = posedSkin(skeleton, driven, locals);
    for (std::size_t j = 0; j < all.size(); ++j) {
        if (slots[j] >= 0) {
            EXPECT_LT(apart(all[j], kept[std::size_t(slots[j])]), 1e-12);
        }
    }
    EXPECT_EQ(std::count(slots.begin(), slots.end(), -1), 8);
}

TEST(DrivenJoints, WhatCannotDriveIsRefused) {
    Skeleton skeleton = awkward();
    DrivenJointChoice choice;
    choice.drivers = {2};
    EXPECT_THROW(addDrivenJoints(skeleton, choice), Error);
    choice.drivers = {99};
    EXPECT_THROW(addDrivenJoints(skeleton, choice), Error);
    choice = {};
    choice.k = -1;
    EXPECT_THROW(addDrivenJoints(skeleton, choice), Error);
}

Channel rotationKeys(std::uint32_t node, Interpolation interpolation, std::vector<float> times,
                     const std::vector<Quatd>& keys) {
    Channel channel{ChannelPath::rotation, node, interpolation, 4, std::move(times), {}};
    for (const Quatd& q : keys)
        for (const double x : {q.x, q.y, q.z, q.w}) channel.values.push_back(float(x));
    return channel;
}

Clip elbowClip(Interpolation interpolation) {
    Clip clip;
    clip.last_key = 2;
    clip.channels = {rotationKeys(1, interpolation, {0, 1.01f, 2},
                                  {{}, axisAngle(Vec3d{0, 0, 1}, 2.0), axisAngle(Vec3d{1, 1, 0}, 1.0)}),
                     rotationKeys(0, Interpolation::linear, {0, 0.33f, 2},
                                  {{}, axisAngle(Vec3d{0, 1, 1}, 1.0), axisAngle(Vec3d{1, 0, 0}, 1.0)})};
    return clip;
}

double bakedApart(const Skeleton& skeleton, const std::vector<DrivenJoint>& driven, const Clip& baked, double t) {
    const auto played = skinMatricesDouble(skeleton, &baked, t);
    const auto driven_now = drivenSkinMatrices(skeleton, driven, &baked, t);
    double most = 0;
    for (std::size_t j = 0; j < played.size(); ++j) most = std::max(most, apart(played[j], driven_now[j]));
    return most;
}

TEST(BakedDrivers, AnyPlayerShowsWhatTheDriversCompute) {
    Skeleton skeleton = limb();
    const auto driven = addDrivenJoints(skeleton);
    Clip clip = elbowClip(Interpolation::linear);
    bakeDrivers(skeleton, driven, clip);
    for (const Channel& channel : clip.channels)
        for (std::size_t k = 0; k < channel.times.size(); ++k)
            EXPECT_LT(bakedApart(skeleton, driven, clip, channel.times[k]), 2e-3) << channel.times[k];
    for (double t = 0; t <= 2; t += 0.013) EXPECT_LT(bakedApart(skeleton, driven, clip, t), 5e-3) << t;
    // Baking again replaces the keys.
    const std::size_t channels = clip.channels.size();
    bakeDrivers(skeleton, driven, clip);
    EXPECT_EQ(clip.channels.size(), channels);
}

TEST(BakedDrivers, KeysAreAddedOnlyWhereInterpolationMisses) {
    Skeleton skeleton = limb();
    const auto driven = addDrivenJoints(skeleton, rotationsOnly(1));
    Clip clip;
    clip.last_key = 2;
    // About one axis half of the interpolated turn is the interpolated half.
    clip.channels = {rotationKeys(1, Interpolation::linear, {0, 2}, {{}, axisAngle(Vec3d{0, 0, 1}, 2.0)})};
    bakeDrivers(skeleton, driven, clip);
    ASSERT_EQ(clip.channels.size(), 2u);  // nothing drives the wrist's
    EXPECT_EQ(clip.channels[1].times, (std::vector<float>{0, 2}));
    for (double t = 0; t <= 2; t += 0.1) EXPECT_LT(bakedApart(skeleton, driven, clip, t), 1e-5) << t;
}

TEST(BakedDrivers, StepsStaySteps) {
    Skeleton skeleton = limb();
    const auto driven = addDrivenJoints(skeleton);
    Clip clip = elbowClip(Interpolation::step);
    bakeDrivers(skeleton, driven, clip);
    for (const double t : {0.0, 0.5, 1.0, 1.02, 1.5, 2.0}) EXPECT_LT(bakedApart(skeleton, driven, clip, t), 1e-5) << t;

    // A jump among keys that are interpolated stays a jump.
    Clip mixed = elbowClip(Interpolation::step);
    Channel slide{ChannelPath::translation, 1, Interpolation::linear, 3, {0, 2}, {2, 0, 0, 2, 0, 0.5f}};
    mixed.channels.push_back(slide);
    bakeDrivers(skeleton, driven, mixed);
    for (const double t : {0.0, 0.5, 1.0, 1.02, 1.5, 2.0}) EXPECT_LT(bakedApart(skeleton, driven, mixed, t), 5e-3) << t;
}

TEST(BakedDrivers, CharactersWithManyJointsPlayTheSame) {
    Character character = scenes::find("biped")->make(500);
    const auto driven = addDrivenJoints(character.skeleton);
    ASSERT_GT(driven.size(), 20u);
    for (const Affine3d& bone : skinMatricesDouble(character.skeleton, nullptr, 0)) EXPECT_LT(apart(bone, {}), 1e-5);
    Clip clip = character.clips.at(0);
    bakeDrivers(character.skeleton, driven, clip);
    for (const double t : sampleTimes(clip, 7)) EXPECT_LT(bakedApart(character.skeleton, driven, clip, t), 2e-2) << t;
}

}  // namespace
}  // namespace pelt::rig
