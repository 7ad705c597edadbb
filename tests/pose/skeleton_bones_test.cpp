// Which way knees and elbows bend.
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

/// A standing figure without toes and clips, in centimeters, which faces +z or -z; `knee`: where its left and right
/// knees lie off the straight line.
struct PlainFigure {
    Skeleton skeleton;
    std::vector<double> skin;
    std::vector<Affine3d> worlds;

    PlainFigure(double facing, const Vec3d& left_knee, const Vec3d& right_knee) {
        add("hips", -1, {0, 100, 0});
        add("chest", 0, {0, 140, 0});
        add("head", 1, {0, 165, 0});
        for (const double side : {1.0, -1.0}) {
            const std::string name = side > 0 ? "Left" : "Right";
            const double x = facing * side;
            add(name + "Arm", 1, {18 * x, 140, 0});
            add(name + "ForeArm", std::int32_t(skin.size()) - 1, {45 * x, 140, 0});
            add(name + "Hand", std::int32_t(skin.size()) - 1, {70 * x, 140, 0});
            const Vec3d knee = side > 0 ? left_knee : right_knee;
            add(name + "UpLeg", 0, {10 * x, 95, 0});
            add(name + "Leg", std::int32_t(skin.size()) - 1, Vec3d{10 * x, 50, 0} + knee);
            add(name + "Foot", std::int32_t(skin.size()) - 1, {10 * x, 8, 0});
        }
        worlds.resize(skin.size());
        rig::worldTransforms(skeleton, rig::sampleLocals(skeleton, nullptr, 0), worlds);
    }
    void add(const std::string& name, std::int32_t parent, const Vec3d& at) {
        const Vec3d above = parent < 0 ? Vec3d{} : places[std::size_t(parent)];
        skeleton.nodes.push_back({name, parent, {at - above, {}, {1, 1, 1}}, {}});
        skeleton.joints.push_back({std::uint32_t(skin.size()), inverse(Affine3d(Mat3d{}, at))});
        places.push_back(at);
        skin.push_back(1);
    }
    Vec3d kneeAxis(const std::string& name) const {
        const SkeletonBones bones = bonesOf({&skeleton, {}, worlds, skin, 170});
        for (std::size_t b = 0; b < bones.bones.size(); ++b)
            if (skeleton.nodes[bones.node[b]].name == name && bones.bones[b].hinge) return bones.bones[b].hinge->axis;
        return {};
    }

private:
    std::vector<Vec3d> places;
};

TEST(SkeletonBones, KneesBendForwardsWhereTheSidesOfTheFigureSayAndNotWhereAModelerWasInaccurate) {
    const Vec3d off[] = {{}, {2.5, 0, 0}, {-2.5, 0, 0}, {0, 0, 2.5}, {0, 0, -2.5}};
    for (const double facing : {1.0, -1.0})
        for (const Vec3d& left : off)
            for (const Vec3d& right : off) {
                const PlainFigure figure(facing, left, right);
                for (const char* name : {"LeftLeg", "RightLeg"})
                    EXPECT_GT(figure.kneeAxis(name).x * facing, 0.8)
                        << name << facing << left.x << left.z << right.x << right.z;
            }
}

TEST(SkeletonBones, AClearlyBentKneeBendsFurtherInItsOwnWay) {
    const PlainFigure bird(1, {0, 0, -14}, {0, 0, -14});  // its lower legs go forwards
    for (const char* name : {"LeftLeg", "RightLeg"}) EXPECT_LT(bird.kneeAxis(name).x, -0.95) << name;
}

TEST(SkeletonBones, ArmsThatHangDownAreNoLegs) {
    PlainFigure figure(1, {}, {});
    for (std::size_t n = 0; n < figure.skeleton.nodes.size(); ++n) {
        SkeletonNode& node = figure.skeleton.nodes[n];
        if (node.name.ends_with("Arm") && !node.name.ends_with("ForeArm")) continue;
        if (node.name.ends_with("ForeArm")) node.local.translation = {0, -27, 0};
        if (node.name.ends_with("Hand")) node.local.translation = {0, -25, 0};
    }
    rig::worldTransforms(figure.skeleton, rig::sampleLocals(figure.skeleton, nullptr, 0), figure.worlds);
    for (Joint& joint : figure.skeleton.joints) joint.inverse_bind = inverse(figure.worlds[joint.node]);
    for (const char* name : {"LeftForeArm", "RightForeArm"}) EXPECT_LT(figure.kneeAxis(name).x, -0.95) << name;
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
