// The nearest rotation of a matrix.
#include <gtest/gtest.h>
#include <pelt/runtime/rotation.h>

#include <limits>

#include "deform/ddm/ddm_reference.h"
#include "deform/dqs/polar.h"
#include "instruction_sets.h"
#include "skin_case.h"

namespace pelt::deform {
namespace {

using runtime::boneRotation;
using runtime::nearestRotations;

struct Sample {
    Mat3f matrix;
    double gap;  ///< (s2 + sign(det) s3) / s1
};

Mat3d randomRotation(Random& random) {
    return toMatrix(axisAngle(random.direction(), random.between(-std::numbers::pi, std::numbers::pi)));
}

/// U diag(1, s2, sign s3) V^T · scale
Sample makeSample(Random& random, double s2, double s3, double sign, double scale = 1) {
    const Mat3d values{{{1, 0, 0}, {0, s2, 0}, {0, 0, sign * s3}}};
    const Mat3d m = randomRotation(random) * values * transposed(randomRotation(random)) * scale;
    return {{{Vec3f(m.col[0]), Vec3f(m.col[1]), Vec3f(m.col[2])}}, s2 + sign * s3};
}

Mat3d toDouble(const Mat3f& m) { return {{Vec3d(m.col[0]), Vec3d(m.col[1]), Vec3d(m.col[2])}}; }

double distance(const Mat3d& a, const Mat3d& b) {
    double largest = 0;
    for (int i = 0; i < 9; ++i) {
        const double d = std::abs(a(i % 3, i / 3) - b(i % 3, i / 3));
        largest = std::isfinite(d) ? std::max(largest, d) : 1e300;
    }
    return largest;
}

/// The deviation from a rotation: R^T R − I and det R − 1.
double skewness(const Mat3d& r) { return std::max(distance(transposed(r) * r, Mat3d{}), std::abs(determinant(r) - 1)); }

void expectNearest(const std::vector<Sample>& samples) {
    std::vector<Mat3f> matrices, rotations(samples.size());
    for (const Sample& s : samples) matrices.push_back(s.matrix);
    onEachInstructionSet([&](std::int64_t) {
        nearestRotations(matrices, {}, rotations);
        double worst = 0, worst_skew = 0;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const Mat3d r = toDouble(rotations[i]);
            worst_skew = std::max(worst_skew, skewness(r));
            if (samples[i].gap < 1e-3) continue;
            const Mat3d expected = reference::nearestRotation(toDouble(matrices[i]));
            worst = std::max(worst, distance(r, expected) * samples[i].gap);
        }
        // A rotation is as well defined as its gap is wide: the best that single precision can do is eps / gap.
        EXPECT_LT(worst, 5e-7);
        EXPECT_LT(worst_skew, 5e-6);
    });
}

TEST(Rotation, AgreesWithTheSvdOnRandomMatrices) {
    Random random(1);
    std::vector<Sample> samples;
    for (int i = 0; i < 4001; ++i) {
        const double a = random.unit(), b = random.unit();
        samples.push_back(makeSample(random, std::max(a, b), std::min(a, b), i % 2 ? 1 : -1));
    }
    expectNearest(samples);
}

TEST(Rotation, AgreesWithTheSvdOnFlatAndThinPatches) {
    Random random(2);
    std::vector<Sample> samples;
    for (int i = 0; i < 4001; ++i) {
        const double s2 = std::pow(10, random.between(-3, 0));
        const double s3 = i % 3 == 0 ? 0 : s2 * std::pow(10, random.between(-6, 0));
        samples.push_back(makeSample(random, s2, s3, i % 2 ? 1 : -1));
    }
    expectNearest(samples);
}

TEST(Rotation, AgreesWithTheSvdWhereReflectionsAreNear) {
    Random random(3);
    std::vector<Sample> samples;
    for (int i = 0; i < 4001; ++i) {
        const double s2 = i % 2 ? std::pow(10, random.between(-3, 0)) : 1 - std::pow(10, random.between(-6, 0));
        const double s3 = std::max(0.0, s2 - std::pow(10, random.between(-3, 0)));
        samples.push_back(makeSample(random, s2, s3, -1));
    }
    expectNearest(samples);
}

TEST(Rotation, DoesNotDependOnTheScale) {
    Random random(4);
    std::vector<Sample> samples;
    for (int i = 0; i < 1000; ++i)
        samples.push_back(
            makeSample(random, 0.6, random.between(0, 0.5), i % 2 ? 1 : -1, std::pow(10, random.between(-15, 12))));
    expectNearest(samples);
}

TEST(Rotation, IsSomeRotationWhereNoneIsNearest) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
    Random random(5);
    std::vector<Mat3f> matrices = {
        {{{}, {}, {}}},
        {{{1, 2, 3}, {2, 4, 6}, {-1, -2, -3}}},
        {{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}},
        {{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}},
        {{{kNan, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
        {{{kInfinity, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
        {{{1e-30f, 0, 0}, {0, 1e-30f, 0}, {0, 0, 1e-30f}}},
        {{{3e38f, 0, 0}, {0, 3e38f, 0}, {0, 0, 3e38f}}},
    };
    for (int i = 0; i < 500; ++i) {
        const double s2 = std::pow(10, random.between(-9, 0)), gap = std::pow(10, random.between(-9, -3));
        matrices.push_back(makeSample(random, s2, std::max(0.0, s2 - gap), -1).matrix);
    }
    const Mat3d turn = toMatrix(axisAngle(Vec3d{1, 2, 3}, 1.0));
    const Mat3f fallback{{Vec3f(turn.col[0]), Vec3f(turn.col[1]), Vec3f(turn.col[2])}};
    std::vector<Mat3f> rotations(matrices.size());
    onEachInstructionSet([&](std::int64_t) {
        nearestRotations(matrices, fallback, rotations);
        for (const Mat3f& r : rotations) EXPECT_LT(skewness(toDouble(r)), 1e-5);
        EXPECT_LT(distance(toDouble(rotations[0]), turn), 1e-6);
    });
}

TEST(Rotation, DoesNotDependOnTheOtherLanes) {
    Random random(6);
    const Mat3f hard = makeSample(random, 0.999, 0.9975, -1).matrix, easy = makeSample(random, 0.5, 0.2, 1).matrix;
    onEachInstructionSet([&](std::int64_t) {
        std::vector<Mat3f> mixed, alone(16, easy), a(16), b(16);
        for (int i = 0; i < 16; ++i) mixed.push_back(i % 3 ? easy : hard);
        nearestRotations(mixed, {}, a);
        nearestRotations(alone, {}, b);
        EXPECT_EQ(a[1], b[1]);
        EXPECT_EQ(a[14], b[14]);
    });
}

TEST(Rotation, OfABoneIsThatOfItsPolarDecomposition) {
    Random random(7);
    for (int i = 0; i < 500; ++i)
        for (const Bones kind : {Bones::wild, Bones::stretched, Bones::mirrored}) {
            const Mat3d a = Affine3d(makeBone(random, kind, {})).linear();
            EXPECT_LT(distance(boneRotation(a), polarDecompose(a).rotation), 1e-9);
        }
}

TEST(Rotation, OfBonesThatMirrorWithTiedAxesIsThatOfTheirPolarDecomposition) {
    Random random(8);
    for (int i = 0; i < 200; ++i)
        for (const Vec3d& scale : {Vec3d{-1, 1, 1}, Vec3d{1, 1, -1}, Vec3d{-2, 1, 1}, Vec3d{2, -1, 1},
                                   Vec3d{-1, -1, -1}, Vec3d{1, -3, 3}, Vec3d{1, 1, 0}}) {
            const Mat3d s{{{scale.x, 0, 0}, {0, scale.y, 0}, {0, 0, scale.z}}};
            const Mat3d a = randomRotation(random) * s;
            const Mat3d rounded = toDouble({{Vec3f(a.col[0]), Vec3f(a.col[1]), Vec3f(a.col[2])}});  // as bones are
            for (const Mat3d& bone : {a, rounded})
                EXPECT_LT(distance(boneRotation(bone), polarDecompose(bone).rotation), 1e-6)
                    << scale.x << ' ' << scale.y << ' ' << scale.z;
        }
}

}  // namespace
}  // namespace pelt::deform
