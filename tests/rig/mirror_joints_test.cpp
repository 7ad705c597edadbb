// Which joint is on the other side.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/rig/mirror_joints.h>

namespace pelt::rig {
namespace {

using Names = std::vector<std::string>;

Skeleton skeletonOf(const std::vector<std::pair<std::string, Vec3d>>& joints) {
    Skeleton skeleton;
    for (const auto& [name, place] : joints) {
        skeleton.joints.push_back({std::uint32_t(skeleton.nodes.size()), Affine3d(Mat3d{}, place * -1.0)});
        skeleton.nodes.push_back({name, skeleton.nodes.empty() ? -1 : 0, {place, {}, {1, 1, 1}}, {}});
    }
    return skeleton;
}

TEST(MirrorNames, SidesAreWordsOrLettersOfTheirOwn) {
    const std::pair<const char*, const char*> pairs[] = {{"hand_L", "hand_R"},
                                                         {"hand.l", "hand.r"},
                                                         {"LeftArm", "RightArm"},
                                                         {"mixamorig:LeftFoot", "mixamorig:RightFoot"},
                                                         {"upperarm_left", "upperarm_right"},
                                                         {"J_Bip_L_Hand", "J_Bip_R_Hand"},
                                                         {"lShldr", "rShldr"},
                                                         {"Hand.L.001", "Hand.R.001"},
                                                         {"bip01 l thigh", "bip01 r thigh"},
                                                         {"LEFT_EYE", "RIGHT_EYE"},
                                                         {"\xE5\xB7\xA6\xE8\x85\x95", "\xE5\x8F\xB3\xE8\x85\x95"}};
    for (const auto& [left, right] : pairs) {
        EXPECT_EQ(namesOnOtherSide(left), Names{right});
        EXPECT_EQ(namesOnOtherSide(right), Names{left});
        EXPECT_EQ(sideOf(left), Side::left) << left;
        EXPECT_EQ(sideOf(right), Side::right) << right;
    }
    for (const char* middle : {"spine", "Ball", "roll", "Root", "Collar", "leftover", "bright", "cleft"})
        EXPECT_TRUE(namesOnOtherSide(middle).empty()) << middle;
    EXPECT_EQ(namesOnOtherSide("L_lid_L").front(), "R_lid_R");
}

TEST(MirrorJoints, AreFoundByNameWhereverTheyAre) {
    const Skeleton skeleton = skeletonOf({{"hips", {5, 0, 0}},
                                          {"hand_L", {5, 1, 2}},
                                          {"hand_R", {5, 1.3, -1.98}},
                                          {"foot_L", {5, 0, 1}},
                                          {"foot_R", {5, 0, -1}}});
    const JointMirror mirror = findJointMirror(skeleton, jointRestPositions(skeleton), {}, 4);
    EXPECT_EQ(mirror.plane.axis, 2);
    EXPECT_NEAR(mirror.plane.place, 0, 0.06);
    EXPECT_EQ(mirror.twins, (std::vector<std::uint32_t>{0, 2, 1, 4, 3}));
    EXPECT_EQ(mirror.pairs_by_name, 2u);
    EXPECT_TRUE(mirror.left_is_positive);
}

TEST(MirrorJoints, WithoutNamesPositionsDecide) {
    const Skeleton skeleton = skeletonOf({{"a", {0, 0, 0}},
                                          {"b", {1, 2, 0}},
                                          {"c", {-1, 2, 0}},
                                          {"sword", {1.5, 1, 0}},
                                          {"d", {0, 3, 0}},
                                          {"e", {0, 4, 0}}});
    const JointMirror mirror = findJointMirror(skeleton, jointRestPositions(skeleton), {}, 4);
    EXPECT_EQ(mirror.plane.axis, 0);
    EXPECT_EQ(mirror.twins, (std::vector<std::uint32_t>{0, 2, 1, JointMirror::kNoTwin, 4, 5}));
    EXPECT_EQ(mirror.nearestTwins(skeleton)[3], 0u) << "the sword hangs on the root";
}

TEST(MirrorJoints, ASnakeNeedsAnAxis) {
    const Skeleton snake = skeletonOf({{"a", {0, 0, 0}}, {"b", {0, 0, 1}}, {"c", {0, 0, 5}}});
    EXPECT_THROW(findJointMirror(snake, jointRestPositions(snake), {}, 4), Error);
    EXPECT_EQ(findJointMirror(snake, jointRestPositions(snake), 0, 4).twins, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(MirrorJoints, TheLeftIsWhereItsJointsAre) {
    const Skeleton skeleton = skeletonOf({{"hips", {0, 0, 0}}, {"hand_R", {1, 0, 0}}, {"hand_L", {-1, 0, 0}}});
    EXPECT_FALSE(findJointMirror(skeleton, jointRestPositions(skeleton), {}, 2).left_is_positive);
}

}  // namespace
}  // namespace pelt::rig
