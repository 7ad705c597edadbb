#include <gtest/gtest.h>
#include <pelt/pose/skeleton_bones.h>

#include <cmath>

#include "pose_case.h"

namespace pelt::pose {
namespace {

struct BipedBones {
    Character biped = posed("biped", 1200);
    std::vector<double> skin = std::vector<double>(biped.skeleton.nodes.size(), 0.0);
    std::vector<Affine3d> worlds = std::vector<Affine3d>(biped.skeleton.nodes.size());

    BipedBones() {
        for (std::size_t i = 0; i < biped.weights.joints.size(); ++i)
            skin[biped.skeleton.joints[biped.weights.joints[i]].node] += double(biped.weights.weights[i]);
        rig::worldTransforms(biped.skeleton, rig::sampleLocals(biped.skeleton, nullptr, 0), worlds);
    }
    SkeletonBones find(bool clips) const {
        return bonesOf(
            {&biped.skeleton, clips ? std::span<const Clip>(biped.clips) : std::span<const Clip>(), worlds, skin, 2});
    }
    std::size_t bone(const SkeletonBones& bones, const char* name) const {
        const std::size_t joint = rig::findJoint(biped.skeleton, name).value();
        return std::size_t(bones.bone_of[biped.skeleton.joints[joint].node]);
    }
};

TEST(SkeletonBones, KneesAreHingesThatBendTheShinBackwards) {
    const BipedBones scene;
    for (const bool clips : {true, false}) {
        const SkeletonBones bones = scene.find(clips);
        for (const char* name : {"shin_L", "shin_R"}) {
            const auto& hinge = bones.bones[scene.bone(bones, name)].hinge;
            ASSERT_TRUE(hinge) << name << clips;
            EXPECT_GT(hinge->axis.x, 0.95) << name << clips;
        }
    }
}

TEST(SkeletonBones, BothSidesBendAlike) {
    const BipedBones scene;
    for (const bool clips : {true, false}) {
        const SkeletonBones bones = scene.find(clips);
        for (const auto& [left, right] : {std::pair("shin_L", "shin_R"), std::pair("forearm_L", "forearm_R")}) {
            const auto& a = bones.bones[scene.bone(bones, left)].hinge;
            const auto& b = bones.bones[scene.bone(bones, right)].hinge;
            ASSERT_TRUE(a && b) << left;
            EXPECT_LT(length(a->axis - Vec3d(b->axis.x, -b->axis.y, -b->axis.z)), 1e-3) << left << clips;
            EXPECT_EQ(bones.partner[scene.bone(bones, left)], std::int32_t(scene.bone(bones, right)));
        }
    }
}

TEST(SkeletonBones, HipsShouldersAndTheSpineAreNoHinges) {
    const BipedBones scene;
    const SkeletonBones bones = scene.find(true);
    for (const char* name : {"thigh_L", "upper_arm_R", "spine", "chest", "neck", "head"})
        EXPECT_FALSE(bones.bones[scene.bone(bones, name)].hinge) << name;
}

TEST(SkeletonBones, LegsSwingWithTheirKneesAndArmsAsTheyLike) {
    const BipedBones scene;
    for (const bool clips : {true, false}) {
        const SkeletonBones bones = scene.find(clips);
        for (const char* name : {"thigh_L", "thigh_R", "foot_L", "foot_R"}) {
            const auto& swings = bones.bones[scene.bone(bones, name)].swings;
            ASSERT_TRUE(swings) << name << clips;
            EXPECT_GT(swings->x, 0.95) << name << clips;
        }
        for (const char* name : {"upper_arm_L", "hand_R", "spine"})
            EXPECT_FALSE(bones.bones[scene.bone(bones, name)].swings) << name << clips;
    }
}

TEST(SkeletonBones, TheBodySlidesAndNothingElse) {
    const BipedBones scene;
    const SkeletonBones bones = scene.find(true);
    EXPECT_TRUE(bones.together);
    EXPECT_EQ(bones.body, scene.bone(bones, "pelvis"));
    for (std::size_t b = 0; b < bones.bones.size(); ++b) EXPECT_EQ(bones.bones[b].slides, b == bones.body);
    EXPECT_TRUE(bones.pins.empty());
}

TEST(SkeletonBones, AFootOnItsOwnControlIsPinnedToTheLegThatItsClipsKeepItOn) {
    // A root without skin carries a body with a leg and, beside it, a foot; the clip swings the leg and takes the foot
    // along.
    Skeleton skeleton;
    const auto add = [&](const char* name, std::int32_t parent, const Vec3d& at) {
        skeleton.nodes.push_back({name, parent, {at, {}, {1, 1, 1}}, {}});
        std::vector<Affine3d> local = rig::sampleLocals(skeleton, nullptr, 0), world(local.size());
        rig::worldTransforms(skeleton, local, world);
        skeleton.joints.push_back({std::uint32_t(skeleton.nodes.size() - 1), inverse(world.back())});
    };
    add("root", -1, {});
    add("body", 0, {0, 1, 0});
    add("leg", 1, {0, 0, 0});
    add("foot", 0, {0, 0, 0});
    Clip clip{"swing", 0, 1, {}};
    Channel turn{ChannelPath::rotation, 2, Interpolation::linear, 4, {}, {}}, slide = turn, lift = turn;
    slide = {ChannelPath::translation, 3, Interpolation::linear, 3, {}, {}};
    lift = {ChannelPath::translation, 1, Interpolation::linear, 3, {}, {}};
    for (int k = 0; k <= 40; ++k) {
        const double a = 0.6 * std::sin(k * 0.3), up = 1 + 0.05 * std::cos(k * 0.2);
        for (Channel* c : {&turn, &slide, &lift}) c->times.push_back(float(k) / 40);
        for (const double v : {std::sin(a / 2), 0.0, 0.0, std::cos(a / 2)}) turn.values.push_back(float(v));
        for (const double v : {0.0, up - std::cos(a), -std::sin(a)}) slide.values.push_back(float(v));
        for (const double v : {0.0, up, 0.0}) lift.values.push_back(float(v));
    }
    clip.channels = {turn, slide, lift};
    std::vector<Affine3d> worlds(4);
    rig::worldTransforms(skeleton, rig::sampleLocals(skeleton, nullptr, 0), worlds);
    const std::vector<double> skin{0, 2, 1, 1};
    const SkeletonBones bones = bonesOf({&skeleton, std::span(&clip, 1), worlds, skin, 1.5});
    EXPECT_TRUE(bones.bones[1].slides);
    EXPECT_TRUE(bones.bones[3].slides);
    EXPECT_FALSE(bones.bones[0].slides);
    ASSERT_EQ(bones.pins.size(), 1u);
    EXPECT_EQ(bones.pins[0].a, 3u);
    EXPECT_EQ(bones.pins[0].b, 2u);
}

}  // namespace
}  // namespace pelt::pose
