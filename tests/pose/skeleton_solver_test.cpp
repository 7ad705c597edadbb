// Joints that keep their lengths, from handles.
#include <gtest/gtest.h>
#include <pelt/pose/skeleton_solver.h>

#include <cmath>
#include <numbers>

namespace pelt::pose {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// A pelvis with two straight legs of 0.5 + 0.5 and feet, knees made to go to +z.
std::vector<Bone> legs() {
    std::vector<Bone> bones(7);
    bones[0].place = {0, 1, 0};
    bones[0].slides = true;
    bones[0].stiffness = 100;
    for (int side = 0; side < 2; ++side) {
        const double x = side == 0 ? 0.1 : -0.1;
        const auto thigh = std::size_t(1 + 3 * side);
        bones[thigh].parent = 0;
        bones[thigh].place = {x, 1, 0};
        bones[thigh + 1].parent = std::int32_t(thigh);
        bones[thigh + 1].place = {x, 0.5, 0};
        bones[thigh + 1].hinge = Hinge{{1, 0, 0}, -0.1, false};
        bones[thigh + 2].parent = std::int32_t(thigh + 1);
        bones[thigh + 2].place = {x, 0, 0};
    }
    return bones;
}

void hold(SkeletonGoals& goals, std::uint32_t bone, const Vec3d& place) {
    goals.places.push_back({{{bone, place, 1}}, place, 300});
    goals.turns.push_back({bone, {}, 300});
}

SkeletonGoals squatBy(const std::vector<Bone>& bones, double depth) {
    SkeletonGoals goals;
    hold(goals, 3, bones[3].place);
    hold(goals, 6, bones[6].place);
    goals.places.push_back({{{0, bones[0].place, 1}}, bones[0].place - Vec3d{0, depth, 0}, 1});
    return goals;
}

TEST(SkeletonSolver, AStraightLegUnderCompressionBendsItsKneeForwards) {
    const std::vector<Bone> bones = legs();
    SkeletonSolver solver(bones, 2);
    const std::vector<Affine3d> found = solver.solve(squatBy(bones, 1.0 / 3));
    EXPECT_LT(length(found[0] * bones[0].place - Vec3d(0, 2.0 / 3, 0)), 0.002);
    for (const std::size_t foot : {3u, 6u}) {
        EXPECT_LT(length(found[foot] * bones[foot].place - bones[foot].place), 0.002);
        EXPECT_LT(length(found[foot].linear().col[2] - Vec3d(0, 0, 1)), 0.01) << "feet stay flat";
        const Vec3d hip = found[foot - 2] * bones[foot - 2].place, knee = found[foot - 1] * bones[foot - 1].place;
        EXPECT_GT(knee.z, 0.3);
        EXPECT_NEAR(length(knee - hip), 0.5, 1e-12);
        EXPECT_NEAR(length(found[foot] * bones[foot].place - knee), 0.5, 1e-12);
    }
    const Vec3d left = found[2] * bones[2].place, right = found[5] * bones[5].place;
    EXPECT_LT(length(left - Vec3d(-right.x, right.y, right.z)), 1e-6) << "symmetric";
}

TEST(SkeletonSolver, NothingMovesWhereNothingIsAskedFor) {
    const std::vector<Bone> bones = legs();
    SkeletonSolver solver(bones, 2);
    for (const Affine3d& motion : solver.solve(squatBy(bones, 0)))
        EXPECT_LT(length(motion * Vec3d(0.3, 0.4, 0.5) - Vec3d(0.3, 0.4, 0.5)), 1e-9);
    for (const Affine3d& motion : solver.solve({}))
        EXPECT_LT(length(motion * Vec3d(0.3, 0.4, 0.5) - Vec3d(0.3, 0.4, 0.5)), 1e-9);
}

TEST(SkeletonSolver, APoseThatMovesIsContinuous) {
    const std::vector<Bone> bones = legs();
    SkeletonSolver solver(bones, 2);
    Vec3d last = bones[2].place;
    for (int frame = 0; frame <= 30; ++frame) {
        const auto found = solver.solve(squatBy(bones, 0.4 * frame / 30));
        const Vec3d knee = found[2] * bones[2].place;
        // A knee goes forwards as the square root of the depth: the first frame moves it most.
        EXPECT_LT(length(knee - last), frame < 3 ? 0.15 : 0.06)
            << frame << " at " << knee.x << " " << knee.y << " " << knee.z;
        last = knee;
    }
    EXPECT_GT(last.z, 0.3);
}

TEST(SkeletonSolver, WhatIsOutOfReachIsMissedByTheDraggedNotByTheHeld) {
    const std::vector<Bone> bones = legs();
    SkeletonSolver solver(bones, 2);
    const auto found = solver.solve(squatBy(bones, -0.5));  // up, off straight legs
    EXPECT_LT(length(found[3] * bones[3].place - bones[3].place), 0.03);
    EXPECT_LT(length(found[0] * bones[0].place - bones[0].place), 0.05);
}

/// A chain of four bones along x.
std::vector<Bone> chain() {
    std::vector<Bone> bones(5);
    for (std::size_t b = 0; b < bones.size(); ++b) {
        bones[b].parent = std::int32_t(b) - 1;
        bones[b].place = {double(b), 0, 0};
        bones[b].along = {1, 0, 0};
    }
    bones[0].slides = true;
    return bones;
}

TEST(SkeletonSolver, LimitsArePartOfTheSolveSoThatOtherJointsTakeOver) {
    std::vector<Bone> bones = chain();
    SkeletonGoals goals;
    hold(goals, 0, bones[0].place);
    goals.places.push_back({{{4, bones[4].place, 1}}, {1.9, 1.9, 0}, 1});
    const auto free = SkeletonSolver(bones, 4).solve(goals);
    bones[1].limits = rig::RangeOfMotion::Limits{{-3, 3}, {-3, 3}};
    const auto found = SkeletonSolver(bones, 4).solve(goals);
    const auto bend = [](const std::vector<Affine3d>& motions) {
        return std::acos(std::clamp(dot(motions[1].linear().col[0], motions[0].linear().col[0]), -1.0, 1.0)) / kDegree;
    };
    EXPECT_GT(bend(free), 5);
    EXPECT_LT(bend(found), 3.01);
    EXPECT_LT(length(found[4] * bones[4].place - Vec3d(1.9, 1.9, 0)), 0.04) << "the target is still met";
}

TEST(SkeletonSolver, ATurnIsSharedByTheJointsBelowWhatIsHeld) {
    std::vector<Bone> bones = chain();
    SkeletonGoals goals;
    hold(goals, 0, bones[0].place);
    goals.turns.push_back({4, toMatrix(axisAngle(Vec3d{1, 0, 0}, 100 * kDegree)), 1});
    const auto found = SkeletonSolver(bones, 4).solve(goals);
    EXPECT_LT(length(found[4].linear().col[1] - Vec3d(0, std::cos(100 * kDegree), std::sin(100 * kDegree))), 0.01);
    for (std::size_t b = 1; b < 5; ++b) {  // 25 degrees each
        const Mat3d own = transposed(found[b - 1].linear()) * found[b].linear();
        EXPECT_NEAR(std::atan2(own(2, 1), own(1, 1)) / kDegree, 25, 1.5) << b;
    }
}

TEST(SkeletonSolver, AJointThatSwingsTurnsAboutItsAxisSoonerThanAboutOthers) {
    std::vector<Bone> bones = chain();
    bones[2].swings = Vec3d{1, 0, 0};
    const auto sharesOf = [&](const Vec3d& axis) {
        SkeletonGoals goals;
        hold(goals, 0, bones[0].place);
        goals.turns.push_back({4, toMatrix(axisAngle(axis, 60 * kDegree)), 1});
        const auto found = SkeletonSolver(bones, 4).solve(goals);
        std::vector<double> angles;
        for (std::size_t b = 1; b < 5; ++b) {
            const Mat3d own = transposed(found[b - 1].linear()) * found[b].linear();
            angles.push_back(std::acos((own(0, 0) + own(1, 1) + own(2, 2) - 1) / 2) / kDegree);
        }
        return angles;
    };
    EXPECT_NEAR(sharesOf({1, 0, 0})[1], 15, 1);
    EXPECT_NEAR(sharesOf({0, 0, 1})[1], 60 / 13.0, 1) << "a quarter of what the other three turn";
}

TEST(SkeletonSolver, APointThatTwoBonesCarryKeepsThemTogether) {
    // A foot on a control of its own, pinned to the end of a leg: as the leg moves, it follows.
    std::vector<Bone> bones(3);
    bones[0].place = {0, 1, 0};
    bones[0].slides = true;
    bones[0].slide_stiffness = 300;
    bones[1].parent = 0;
    bones[1].place = {0, 0.9, 0};
    bones[2].place = {0, 0, 0};
    bones[2].slides = true;
    SkeletonGoals goals;
    goals.places.push_back({{{2, {}, 1}, {1, {}, -1}}, {}, 100});
    goals.places.push_back({{{0, bones[0].place, 1}}, {0.3, 1.2, 0}, 1});
    const auto found = SkeletonSolver(bones, 1).solve(goals);
    EXPECT_LT(length(found[2] * Vec3d() - found[1] * Vec3d()), 1e-3);
    EXPECT_LT(length(found[0] * bones[0].place - Vec3d(0.3, 1.2, 0)), 1e-3);
}

}  // namespace
}  // namespace pelt::pose
