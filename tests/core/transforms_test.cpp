// Quaternions and affine transforms.
#include <gtest/gtest.h>
#include <pelt/core/affine.h>

#include <numbers>
#include <random>

namespace pelt {
namespace {

constexpr double kPi = std::numbers::pi;

double distance(const Mat3d& a, const Mat3d& b) {
    double worst = 0;
    for (int i = 0; i < 3; ++i) worst = std::max(worst, length(a.col[i] - b.col[i]));
    return worst;
}

Quatd randomRotation(std::mt19937& random) {
    std::normal_distribution<double> normal;
    return normalized(Quatd{normal(random), normal(random), normal(random), normal(random)});
}

TEST(Quaternions, AQuarterTurnAboutZTakesXToY) {
    const Vec3d turned = toMatrix(axisAngle(Vec3d{0, 0, 2}, kPi / 2)) * Vec3d{1, 0, 0};
    EXPECT_LT(length(turned - Vec3d{0, 1, 0}), 1e-15);
}

TEST(Quaternions, TheirProductIsTheProductOfTheirMatrices) {
    std::mt19937 random(1);
    for (int i = 0; i < 100; ++i) {
        const Quatd a = randomRotation(random), b = randomRotation(random);
        EXPECT_LT(distance(toMatrix(a * b), toMatrix(a) * toMatrix(b)), 1e-14);
        EXPECT_LT(distance(toMatrix(a * conjugate(a)), Mat3d{}), 1e-14);
    }
}

TEST(Quaternions, EveryRotationMatrixComesBack) {
    std::mt19937 random(2);
    std::vector<Quatd> rotations = {{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};  // half turns: trace -1
    for (int i = 0; i < 200; ++i) rotations.push_back(randomRotation(random));
    for (const Quatd& q : rotations) EXPECT_LT(distance(toMatrix(toQuat(toMatrix(q))), toMatrix(q)), 1e-14);
}

TEST(Quaternions, SlerpTakesTheShorterArcAtConstantSpeed) {
    const Quatd a = axisAngle(Vec3d{0, 1, 0}, 0.2), b = axisAngle(Vec3d{0, 1, 0}, 1.4);
    const Quatd minus_b{-b.x, -b.y, -b.z, -b.w};
    for (const double t : {0.0, 0.25, 0.5, 1.0}) {
        const Mat3d expected = toMatrix(axisAngle(Vec3d{0, 1, 0}, 0.2 + 1.2 * t));
        EXPECT_LT(distance(toMatrix(slerp(a, b, t)), expected), 1e-14);
        EXPECT_LT(distance(toMatrix(slerp(a, minus_b, t)), expected), 1e-14);
    }
}

TEST(Quaternions, ZeroAndNanBecomeTheIdentity) {
    EXPECT_EQ(normalized(Quatd{0, 0, 0, 0}), Quatd{});
    EXPECT_EQ(normalized(Quatd{std::nan(""), 0, 0, 1}), Quatd{});
}

TEST(Affine, TheInverseUndoesShearAndMirroring) {
    const Affine3d a({{{-2, 0.5, 0}, {0.3, 1, 0.2}, {0, 0.1, 3}}}, {4, -5, 6});
    const Affine3d id = inverse(a) * a;
    EXPECT_LT(distance(id.linear(), Mat3d{}), 1e-14);
    EXPECT_LT(length(id.translation()), 1e-14);
}

TEST(Affine, TrsScalesFirstThenRotatesThenMoves) {
    const Affine3d a = toAffine({{10, 0, 0}, axisAngle(Vec3d{0, 0, 1}, kPi / 2), {2, 3, 1}});
    EXPECT_LT(length(a * Vec3d{1, 0, 0} - Vec3d{10, 2, 0}), 1e-14);
    EXPECT_LT(length(a * Vec3d{0, 1, 0} - Vec3d{7, 0, 0}), 1e-14);
}

TEST(Affine, IsAnEngineMatrixByColumns) {
    const Affine3f a({{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}, {10, 11, 12});
    const float expected[16] = {1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 10, 11, 12, 1};
    for (int i = 0; i < 16; ++i) EXPECT_EQ(a.m[i], expected[i]);
    static_assert(sizeof(Affine3f) == 64);
}

TEST(Matrices, TheCofactorTakesNormalsThroughNonUniformScale) {
    const Mat3d stretch{{{4, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const Vec3d normal = cofactor(stretch) * Vec3d{1, 1, 0};  // of the plane x + y = 0
    EXPECT_NEAR(dot(normal, stretch * Vec3d{1, -1, 0}), 0, 1e-15);
}

}  // namespace
}  // namespace pelt
