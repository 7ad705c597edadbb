// Clips from other skeletons.
#include <gtest/gtest.h>
#include <pelt/rig/borrow_clips.h>
#include <pelt/rig/range_of_motion.h>

#include <cmath>
#include <numbers>

namespace pelt::rig {
namespace {

/// Hips on the ground's `height`, a thigh and a shin below, each half of it long; a joint each.
Character leg(const std::string& prefix, double height) {
    Character character;
    const char* names[] = {"Hips", "Thigh", "Shin"};
    for (int n = 0; n < 3; ++n) {
        SkeletonNode node{prefix + names[n], n - 1, {}, {}};
        node.local.translation = {0, n == 0 ? height : -height / 2, 0};
        character.skeleton.nodes.push_back(node);
        character.skeleton.joints.push_back({std::uint32_t(n), {}});
    }
    std::vector<Affine3d> worlds(3);
    worldTransforms(character.skeleton, sampleLocals(character.skeleton, nullptr, 0), worlds);
    for (int n = 0; n < 3; ++n)
        character.skeleton.joints[std::size_t(n)].inverse_bind = inverse(worlds[std::size_t(n)]);
    return character;
}

/// The shin turns about x, the hips rise by a tenth of their height.
Clip kick(double height) {
    const float h = std::sqrt(0.5F);
    Clip clip{"kick", 0, 1, {}};
    clip.channels.push_back({ChannelPath::rotation, 2, Interpolation::linear, 4, {0, 1}, {0, 0, 0, 1, h, 0, 0, h}});
    clip.channels.push_back({ChannelPath::translation,
                             0,
                             Interpolation::linear,
                             3,
                             {0, 1},
                             {0, float(height), 0, 0, float(1.1 * height), 0}});
    return clip;
}

std::vector<Affine3d> worldsAt(const Character& character, double t) {
    std::vector<Affine3d> worlds(character.skeleton.nodes.size());
    worldTransforms(character.skeleton, sampleLocals(character.skeleton, &character.clips[0], t), worlds);
    return worlds;
}

TEST(BorrowClips, AnEqualSkeletonMovesExactlyAlike) {
    Character to = leg("", 2);
    const Character from = leg("", 2);
    to.clips = {Clip{"kick", 0, 3, {}}};
    const BorrowedClips told = borrowClips(to, from.skeleton, std::vector{kick(2)}, "other");
    EXPECT_EQ(told.matched, 2U);
    EXPECT_TRUE(told.unmatched.empty());
    EXPECT_EQ(told.scale, 1);
    ASSERT_EQ(to.clips.size(), 2U);
    EXPECT_EQ(to.clips[0].name, "other:kick");  // the name was taken
    EXPECT_EQ(to.clips[0].channels[0].values, kick(2).channels[0].values);
    EXPECT_EQ(to.clips[0].channels[1].values, kick(2).channels[1].values);
    EXPECT_EQ(to.clips[1].last_key, 3);
}

TEST(BorrowClips, NamesMayDifferInPrefixCaseAndPunctuation) {
    for (const char* prefix : {"mixamorig:", "mixamorig", "Armature|", "mixamorig5:"}) {
        Character to = leg("", 2);
        to.skeleton.nodes[2].name = "shin";
        EXPECT_EQ(borrowClips(to, leg(prefix, 2).skeleton, std::vector{kick(2)}, "o").matched, 2U) << prefix;
    }
    Character to = leg("", 2);
    to.skeleton.nodes[1].name = "SHIN";  // two that fit: neither is taken
    to.skeleton.nodes[2].name = "sh.in";
    const BorrowedClips told = borrowClips(to, leg("", 2).skeleton, std::vector{kick(2)}, "o");
    EXPECT_EQ(told.matched, 1U);
    EXPECT_EQ(told.unmatched, std::vector<std::string>{"Shin"});
}

TEST(BorrowClips, ASmallerFigureTakesSmallerSteps) {
    Character to = leg("", 0.5);
    const BorrowedClips told = borrowClips(to, leg("mixamorig:", 2).skeleton, std::vector{kick(2)}, "o");
    EXPECT_NEAR(told.scale, 0.25, 1e-9);
    EXPECT_NEAR(worldsAt(to, 1)[0].translation().y, 0.55, 1e-6);
    EXPECT_NEAR(length(worldsAt(to, 1)[2].translation() - worldsAt(to, 1)[1].translation()), 0.25, 1e-6);
}

TEST(BorrowClips, AnArmatureThatIsTurnedAndScaledIsAccountedFor) {
    // The other file's joints stand in centimeters below an armature that turns z up to y up.
    Character from = leg("", 200);
    for (SkeletonNode& node : from.skeleton.nodes) ++node.parent;
    SkeletonNode armature{"Armature", -1, {}, {}};
    armature.local.rotation = axisAngle(Vec3d{1, 0, 0}, -std::numbers::pi / 2);
    armature.local.scale = {0.01, 0.01, 0.01};
    from.skeleton.nodes.insert(from.skeleton.nodes.begin(), armature);
    from.skeleton.joints.clear();
    from.skeleton.nodes[1].local.translation = {0, 0, 200};
    from.skeleton.nodes[1].local.rotation = axisAngle(Vec3d{1, 0, 0}, std::numbers::pi / 2);
    Clip clip{"kick", 0, 1, {}};
    const Quatd q = from.skeleton.nodes[1].local.rotation;
    clip.channels.push_back({ChannelPath::rotation, 1, Interpolation::linear, 4, {0}, {float(q.x), 0, 0, float(q.w)}});
    clip.channels.push_back({ChannelPath::translation, 1, Interpolation::linear, 3, {0}, {0, 0, 220}});
    clip.channels.push_back({ChannelPath::translation, 2, Interpolation::linear, 3, {0}, {0, -100, 0}});
    Character to = leg("", 2);
    borrowClips(to, from.skeleton, std::vector{clip}, "o");
    const Affine3d hips = worldsAt(to, 0)[0];
    EXPECT_NEAR(length(hips.translation() - Vec3d{0, 2.2, 0}), 0, 1e-5);
    EXPECT_NEAR(length(hips.linear().col[1] - Vec3d{0, 1, 0}), 0, 1e-5);
    EXPECT_NEAR(length(worldsAt(to, 0)[1].translation() - Vec3d{0, 1.2, 0}), 0, 1e-5);
}

TEST(BorrowClips, NothingChangesWhereNoNameFits) {
    Character to = leg("", 2);
    Character from = leg("", 2);
    for (SkeletonNode& node : from.skeleton.nodes) node.name += "_of_a_fish";
    EXPECT_EQ(borrowClips(to, from.skeleton, std::vector{kick(2)}, "o").matched, 0U);
    EXPECT_TRUE(to.clips.empty());
}

TEST(RangeClip, PassesThroughThePosesThatBakeTries) {
    Character character = leg("", 2);
    // Nodes that stand elsewhere than in the bind pose.
    character.skeleton.nodes[1].local.rotation = axisAngle(Vec3d{0, 0, 1}, 0.5);
    const Clip clip = rangeClip(character.skeleton);
    const auto poses = rangeOfMotion(character.skeleton);
    EXPECT_EQ(clip.name, "@range");
    EXPECT_EQ(clip.seconds(), double(poses.size()));
    const auto expectPose = [&](double t, const std::vector<Affine3f>& expected) {
        const std::vector<Affine3d> bones = skinMatricesDouble(character.skeleton, &clip, t);
        for (std::size_t j = 0; j < bones.size(); ++j)
            for (int i = 0; i < 16; ++i) EXPECT_NEAR(bones[j].m[i], double(expected[j].m[i]), 2e-5) << t;
    };
    for (std::size_t p = 0; p < poses.size(); ++p) {
        expectPose(double(p), std::vector<Affine3f>(3));
        expectPose(double(p) + 0.5, poses[p]);
    }
    expectPose(double(poses.size()), std::vector<Affine3f>(3));
}

TEST(RangeClip, OnlyTurnsJointsOfASkeletonThatStandsInItsBindPose) {
    const Character character = leg("", 2);
    for (const Channel& channel : rangeClip(character.skeleton).channels) {
        const bool is_root = channel.target == character.skeleton.joints[0].node;  // keeps the middle in place
        EXPECT_TRUE(channel.path == ChannelPath::rotation || (is_root && channel.path == ChannelPath::translation));
    }
}

TEST(RangeClip, LimitsHold) {
    RangeOfMotion range;
    range.limits = {{0, 0}, {0, 0}};
    EXPECT_TRUE(rangeClip(leg("", 2).skeleton, {}, range).channels.empty());
}

}  // namespace
}  // namespace pelt::rig
