// Joints that must move with a limb they do not hang on.
#include <gtest/gtest.h>
#include <pelt/rig/range_of_motion.h>

#include <array>

namespace pelt::rig {
namespace {

/// A strip of skin down a leg: hips, thigh, shin, and a foot that hangs on the root, as controls on the floor do.
Character legWithFreeFoot() {
    Character character;
    const auto add = [&](const char* name, std::int32_t parent, const Vec3d& at, const Vec3d& above) {
        character.skeleton.nodes.push_back({name, parent, {at - above, {}, {1, 1, 1}}, {}});
        character.skeleton.joints.push_back(
            {std::uint32_t(character.skeleton.nodes.size() - 1), inverse(Affine3d(Mat3d{}, at))});
    };
    add("root", -1, {}, {});
    add("hips", 0, {0, 4, 0}, {});
    add("thigh", 1, {0, 3, 0}, {0, 4, 0});
    add("shin", 2, {0, 2, 0}, {0, 3, 0});
    add("foot", 0, {0, 1, 0}, {});
    add("toes", 4, {0, 1, 1}, {0, 1, 0});
    // Two vertices per height, the joint that is above them.
    const std::array<std::uint32_t, 9> joints = {1, 1, 1, 1, 2, 2, 3, 3, 4};
    for (std::size_t k = 0; k < joints.size(); ++k)
        for (const float x : {-0.2F, 0.2F}) {
            character.mesh.positions.emplace_back(x, 5 - 0.5F * float(k), 0.0F);
            appendVertex(character.weights, std::array{joints[k]}, std::array{1.0F});
        }
    for (std::uint32_t k = 0; k + 1 < joints.size(); ++k) {
        character.mesh.triangles.push_back({2 * k, 2 * k + 1, 2 * k + 2});
        character.mesh.triangles.push_back({2 * k + 1, 2 * k + 3, 2 * k + 2});
    }
    return character;
}

/// The longest edge in the range of motion, relative to its length at rest.
double longestStretch(const Character& character, const std::vector<std::vector<Affine3f>>& poses) {
    double most = 0;
    for (const auto& bones : poses)
        for (const Triangle& t : character.mesh.triangles)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::uint32_t a = t[k], b = t[(k + 1) % 3];
                const auto posed = [&](std::uint32_t v) {
                    return Vec3d(bones[character.weights.jointsOf(v)[0]] * character.mesh.positions[v]);
                };
                const Vec3d rest = Vec3d(character.mesh.positions[a]) - Vec3d(character.mesh.positions[b]);
                most = std::max(most, length(posed(a) - posed(b)) / length(rest));
            }
    return most;
}

TEST(LimbCarriers, AFootOnABranchOfItsOwnMovesWithItsShin) {
    const Character character = legWithFreeFoot();
    EXPECT_EQ(limbCarriers(character), (std::vector<std::int32_t>{-1, -1, -1, -1, 3, -1}));
    const double apart = longestStretch(character, rangeOfMotion(character.skeleton));
    const double together = longestStretch(character, rangeOfMotion(character.skeleton, rangeOfFigure(character)));
    EXPECT_GT(apart, 4);
    EXPECT_LT(together, 2.5) << "what a bend of 90 degrees costs a rigid bind";
}

TEST(LimbCarriers, TheClipOfTheRangeKeepsTheFootOnTheLegBetweenItsKeys) {
    const Character character = legWithFreeFoot();
    const Clip clip = rangeClip(character.skeleton, {}, rangeOfFigure(character));
    std::vector<std::vector<Affine3f>> poses;
    for (double t = 0; t < clip.last_key; t += 0.043) poses.push_back(skinMatrices(character.skeleton, &clip, t));
    EXPECT_LT(longestStretch(character, poses), 2.5);
}

TEST(LimbCarriers, JointsBelowSkinStayWhereTheyAre) {
    Character character = legWithFreeFoot();
    character.skeleton.nodes[4].parent = 3;
    character.skeleton.nodes[4].local.translation = {0, -1, 0};
    EXPECT_TRUE(limbCarriers(character).empty());
    character.weights = {};
    EXPECT_TRUE(limbCarriers(character).empty());
}

}  // namespace
}  // namespace pelt::rig
