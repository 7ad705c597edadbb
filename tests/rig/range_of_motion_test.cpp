// The range of motion.
#include <gtest/gtest.h>
#include <pelt/rig/range_of_motion.h>
#include <pelt/scenes/scenes.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace pelt::rig {
namespace {

/// The rotation of a joint relative to its parent, in degrees.
double turned(const std::vector<Affine3f>& pose, const std::vector<std::int32_t>& parents, std::size_t joint) {
    const Affine3d own(pose[joint]);
    const Affine3d above = parents[joint] < 0 ? Affine3d{} : Affine3d(pose[std::size_t(parents[joint])]);
    const Quatd q = trsOf(inverse(above) * own).rotation;
    return 2 * std::atan2(std::hypot(q.x, q.y, q.z), std::abs(q.w)) * 180 / std::numbers::pi;
}

std::vector<double> mostTurned(const Skeleton& skeleton, const RangeOfMotion& range) {
    const std::vector<std::int32_t> parents = jointParents(skeleton);
    std::vector<double> most(parents.size(), 0.0);
    for (const auto& pose : rangeOfMotion(skeleton, range))
        for (std::size_t j = 0; j < most.size(); ++j) most[j] = std::max(most[j], turned(pose, parents, j));
    return most;
}

TEST(RangeOfMotion, EveryJointGoesToItsLimitsAndNoFarther) {
    const Skeleton skeleton = scenes::find("branch")->make(200).skeleton;
    // The root moves so that the middle of the skeleton stays in place: how far it turns is no joint's bend.
    const std::vector<double> wide = mostTurned(skeleton, {});
    for (std::size_t j = 1; j < wide.size(); ++j) EXPECT_NEAR(wide[j], 90, 0.01) << j;

    RangeOfMotion range;
    range.limits = {{-20, 30}, {-40, 5}};
    range.joints.assign(skeleton.joints.size(), range.limits);
    range.joints[3] = {{0, 0}, {0, 0}};
    range.joints[4] = {{0, 140}, {-10, 10}};
    const std::vector<double> most = mostTurned(skeleton, range);
    for (std::size_t j = 1; j < most.size(); ++j) EXPECT_NEAR(most[j], j == 3 ? 0 : j == 4 ? 140 : 40, 0.01) << j;
}

/// A chain of joints one above the other; `branches` more joints at its end.
Skeleton tree(int chain, int branches) {
    Skeleton skeleton;
    for (int j = 0; j < chain + branches; ++j) {
        const int parent = j < chain ? j - 1 : chain - 1;
        const Vec3d away = j < chain ? Vec3d{0, 1, 0} : Vec3d{std::cos(double(j)), 0, std::sin(double(j))};
        skeleton.nodes.push_back(
            {"joint" + std::to_string(j), parent, {parent < 0 ? Vec3d{} : away, {}, {1, 1, 1}}, {}});
    }
    std::vector<Affine3d> locals, bind(skeleton.nodes.size());
    for (const SkeletonNode& node : skeleton.nodes) locals.push_back(toAffine(node.local));
    worldTransforms(skeleton, locals, bind);
    for (std::uint32_t n = 0; n < skeleton.nodes.size(); ++n) skeleton.joints.push_back({n, inverse(bind[n])});
    return skeleton;
}

TEST(RangeOfMotion, TheJointInTheMiddleStaysInPlace) {
    struct {
        Skeleton skeleton;
        std::size_t middle;
    } cases[] = {{tree(2, 6), 1}, {tree(7, 0), 3}, {tree(1, 4), 0}};  // hips below a root; a tail; a star
    for (const auto& [skeleton, middle] : cases)
        for (const auto& pose : rangeOfMotion(skeleton))
            for (int i = 0; i < 16; ++i) EXPECT_NEAR(pose[middle].m[i], Affine3f{}.m[i], 1e-6) << middle;
}

TEST(RangeOfMotion, OneJointAloneTurns) {
    const std::vector<double> most = mostTurned(tree(1, 0), {});
    EXPECT_NEAR(most.front(), 90, 0.01);
}

TEST(RangeOfMotion, ReachIsTheShareOfTheWay) {
    const Skeleton skeleton = scenes::find("arm")->make(200).skeleton;
    RangeOfMotion half;
    half.reach = 0.5;
    for (const double most : mostTurned(skeleton, half)) EXPECT_NEAR(most, 45, 0.01);
    half.reach = 0;
    for (const double most : mostTurned(skeleton, half)) EXPECT_NEAR(most, 0, 0.01);
}

TEST(RangeOfMotion, LimitsOfOneSideBendOneWayOnly) {
    const Skeleton skeleton = scenes::find("bar")->make(100).skeleton;
    RangeOfMotion hinge;
    hinge.limits = {{0, 90}, {0, 0}};
    const auto both = rangeOfMotion(skeleton), one = rangeOfMotion(skeleton, hinge);
    ASSERT_EQ(both.size(), one.size());
    std::size_t same = 0, still = 0;
    for (std::size_t p = 0; p < one.size(); ++p) {
        const bool bends = std::abs(one[p][1].m[0] - 1) + std::abs(one[p][1].m[5] - 1) > 1e-3f;
        still += !bends;
        same += bends && std::equal(one[p][1].m, one[p][1].m + 16, both[p][1].m);
    }
    EXPECT_GT(same, 0u);
    EXPECT_GT(still, same);
}

TEST(RangeOfMotion, HelperJointsDoNotChangeHowTheOthersMove) {
    const Skeleton plain = scenes::find("arm")->make(500).skeleton;
    Skeleton helped = plain;  // with a joint beside the bone of the first
    const auto node = std::uint32_t(helped.nodes.size()), parent = plain.joints[0].node;
    SkeletonNode helper;
    helper.name = "helper";
    helper.parent = std::int32_t(parent);
    helper.local.translation = {0.1, 0.2, 0.3};
    helped.nodes.push_back(helper);
    helped.joints.push_back({node, inverse(bindWorlds(plain)[parent] * toAffine(helper.local))});
    std::vector<DrivenJoint> driven(1);
    driven[0].node = node;
    driven[0].driver = parent;
    const auto expected = rangeOfMotion(plain), poses = rangeOfMotion(helped, rangeOfFreeJoints(helped, driven, {}));
    ASSERT_EQ(poses.size(), expected.size());
    for (std::size_t p = 0; p < poses.size(); ++p)
        for (std::size_t j = 0; j < plain.joints.size(); ++j)
            for (int i = 0; i < 16; ++i) EXPECT_NEAR(poses[p][j].m[i], expected[p][j].m[i], 1e-6) << p << " " << j;
}

TEST(LocalsOfSkin, GiveTheSkinMatricesTheyCameFrom) {
    const Skeleton skeleton = scenes::find("branch")->make(200).skeleton;
    for (const auto& pose : rangeOfMotion(skeleton)) {
        const std::vector<Affine3d> bones(pose.begin(), pose.end());
        const std::vector<Affine3d> locals = localsOfSkin(skeleton, bones);
        std::vector<Affine3d> world(locals.size());
        worldTransforms(skeleton, locals, world);
        for (std::size_t j = 0; j < bones.size(); ++j) {
            const Affine3d skin = world[skeleton.joints[j].node] * skeleton.joints[j].inverse_bind;
            for (int i = 0; i < 16; ++i) EXPECT_NEAR(skin.m[i], bones[j].m[i], 1e-9);
        }
    }
}

TEST(LocalsOfSkin, NodesThatAreNoJointsStandToTheirParentAsInTheBindPose) {
    Skeleton skeleton;
    skeleton.nodes = {{"root", -1, {{1, 2, 3}, {}, {1, 1, 1}}, {}},
                      {"between", 0, {{0, 1, 0}, {}, {1, 1, 1}}, {}},
                      {"tip", 1, {{0, 1, 0}, {}, {1, 1, 1}}, {}},
                      {"prop", 2, {{0.5, 0, 0}, {}, {1, 1, 1}}, {}}};
    skeleton.joints = {{0, {Mat3d{}, {-1, -2, -3}}}, {2, {Mat3d{}, {-1, -4, -3}}}};
    const Affine3d bent(toMatrix(axisAngle(Vec3d{0, 0, 1}, 0.8)), {0.3, 0.1, 0});
    const std::vector<Affine3d> locals = localsOfSkin(skeleton, std::vector<Affine3d>{{}, bent});
    for (const std::size_t node : {1, 3})
        for (int i = 0; i < 16; ++i)
            EXPECT_NEAR(locals[node].m[i], restLocal(skeleton.nodes[node]).m[i], 1e-12) << node;
    std::vector<Affine3d> world(4);
    worldTransforms(skeleton, locals, world);
    const Affine3d tip = world[2] * skeleton.joints[1].inverse_bind;
    for (int i = 0; i < 16; ++i) EXPECT_NEAR(tip.m[i], bent.m[i], 1e-12);
}

}  // namespace
}  // namespace pelt::rig
