// Properties that every plain skin has.
#include <gtest/gtest.h>

#include "skin_case.h"

// Numerical properties of every method, relative to the bounding-box diagonal: in double precision with the reference,
// in single precision with the kernels.

namespace pelt::deform {
namespace {

constexpr Method kSkinMethods[] = {Method::lbs, Method::dqs};

Affine3d someMotion(double distance = 1) {
    return {toMatrix(axisAngle(Vec3d{1, -2, 0.5}, 2.3)), Vec3d{0.8, -0.5, 0.2} * distance};
}

std::vector<Vec3d> moved(const Affine3d& g, const std::vector<Vec3d>& points) {
    std::vector<Vec3d> out;
    for (const Vec3d& p : points) out.push_back(g * p);
    return out;
}

TEST(Properties, TheRestPoseComesBackBitForBit) {
    for (const Method method : kSkinMethods)
        for (const std::size_t influences : {1, 2, 4, 7}) {
            const SkinCase c = makeCase(67, 12, influences, Bones::identity);
            const Posed posed = Skinner(method, c).all();
            EXPECT_EQ(posed.positions, c.mesh.positions) << nameOf(method);
            EXPECT_LT(farthest(posed.normals, c.mesh.normals), 2e-7);
            EXPECT_LT(farthest(referenceOf(method, c).positions, c.mesh.positions), 1e-11 * c.diagonal());
        }
}

TEST(Properties, TheRestPoseComesBackBitForBitFarFromTheOrigin) {
    for (const Method method : kSkinMethods) {
        SkinCase c = makeCase(67, 12, 4, Bones::identity);
        for (Vec3f& p : c.mesh.positions) p += Vec3f{100, -300, 50};
        EXPECT_EQ(Skinner(method, c).all().positions, c.mesh.positions) << nameOf(method);
    }
}

TEST(Properties, ACommonRigidMotionIsThatMotion) {
    for (const Method method : kSkinMethods) {
        SkinCase c = makeCase(67, 12, 4, Bones::identity);
        const Affine3d g = someMotion();
        c.bones.assign(12, Affine3f(g));
        const auto expected = moved(g, castAll<Vec3d>(c.mesh.positions));
        EXPECT_LT(farthest(Skinner(method, c).all().positions, expected), 5e-6 * c.diagonal()) << nameOf(method);
        EXPECT_LT(farthest(referenceOf(method, c, std::vector<Affine3d>(12, g)).positions, expected),
                  1e-11 * c.diagonal());
    }
}

TEST(Properties, FarAwayResultsLoseAFewRoundingsOfTheirDistance) {
    for (const Method method : kSkinMethods)
        for (const double distance : {10.0, 100.0, 1000.0}) {
            SkinCase c = makeCase(67, 12, 4, Bones::gentle);
            const Affine3d g = someMotion(distance);
            for (Affine3f& b : c.bones) b = Affine3f(g * Affine3d(b));
            const double rounding = distance * 0x1p-23;
            EXPECT_LT(farthest(Skinner(method, c).all().positions, referenceOf(method, c).positions), 2.5 * rounding)
                << nameOf(method) << ' ' << distance;
        }
}

TEST(Properties, MovingThePosedBonesMovesTheResult) {  // f(G M) = G f(M)
    for (const Method method : kSkinMethods)
        for (const Bones pose : {Bones::gentle, Bones::stretched}) {
            SkinCase c = makeCase(67, 12, 4, pose);
            const Affine3d g = someMotion();
            const auto expected = castAll<Vec3d>(Skinner(method, c).all().positions);
            const auto exact = referenceOf(method, c).positions;
            std::vector<Affine3d> bones;
            for (const Affine3f& b : c.bones) bones.push_back(g * Affine3d(b));
            c.bones = castAll<Affine3f>(bones);
            EXPECT_LT(farthest(Skinner(method, c).all().positions, moved(g, expected)), 1e-5 * c.diagonal());
            EXPECT_LT(farthest(referenceOf(method, c, bones).positions, moved(g, exact)), 1e-9 * c.diagonal());
        }
}

TEST(Properties, MovingTheRestShapeWithItsBonesChangesNothing) {  // f(G U, M G⁻¹) = f(U, M)
    for (const Method method : kSkinMethods)
        for (const Bones pose : {Bones::gentle, Bones::stretched}) {
            const SkinCase c = makeCase(67, 12, 4, pose);
            const Affine3d g = someMotion();
            SkinCase m = c;
            for (Vec3f& p : m.mesh.positions) p = Vec3f(g * Vec3d(p));
            for (Vec3d& p : m.centers) p = g * p;
            for (Affine3f& b : m.bones) b = Affine3f(Affine3d(b) * inverse(g));
            EXPECT_LT(farthest(Skinner(method, m).all().positions, Skinner(method, c).all().positions),
                      1e-5 * c.diagonal())
                << nameOf(method);
        }
}

TEST(Properties, RenumberingTheVerticesChangesNothing) {
    for (const Method method : kSkinMethods) {
        const SkinCase c = makeCase(67, 12, 4, Bones::gentle);
        SkinCase r = c;
        r.weights = {};
        for (std::size_t v = 0; v < 67; ++v) {
            const std::size_t from = (v * 29 + 5) % 67;
            r.mesh.positions[v] = c.mesh.positions[from];
            r.mesh.normals[v] = c.mesh.normals[from];
            appendVertex(r.weights, c.weights.jointsOf(from), c.weights.weightsOf(from));
        }
        const Posed a = Skinner(method, c).all(), b = Skinner(method, r).all();
        for (std::size_t v = 0; v < 67; ++v)
            EXPECT_LT(length(b.positions[v] - a.positions[(v * 29 + 5) % 67]), 1e-5 * c.diagonal());
    }
}

TEST(Properties, OneJointPerVertexIsFollowedExactlyAsAnAffineMap) {
    for (const Method method : kSkinMethods)
        for (const Bones pose : {Bones::wild, Bones::stretched, Bones::mirrored}) {
            const SkinCase c = makeCase(67, 12, 1, pose);
            const Posed posed = Skinner(method, c).all();
            for (std::size_t v = 0; v < 67; ++v) {
                const Vec3d expected = Affine3d(c.bones[c.weights.jointsOf(v)[0]]) * Vec3d(c.mesh.positions[v]);
                EXPECT_LT(length(Vec3d(posed.positions[v]) - expected), 1e-5 * c.diagonal()) << nameOf(method);
            }
        }
}

TEST(Properties, ACommonAffineMapIsThatMap) {
    for (const Method method : kSkinMethods)
        for (const Bones pose : {Bones::stretched, Bones::mirrored}) {
            SkinCase c = makeCase(67, 12, 4, pose);
            c.bones.assign(12, c.bones[0]);
            const auto expected = moved(Affine3d(c.bones[0]), castAll<Vec3d>(c.mesh.positions));
            EXPECT_LT(farthest(Skinner(method, c).all().positions, expected), 1e-5 * c.diagonal());
            EXPECT_LT(farthest(referenceOf(method, c).positions, expected), 1e-11 * c.diagonal());
        }
}

TEST(Properties, ARestShapeReplacesTheRigsOwn) {
    for (const Method method : kSkinMethods) {
        const SkinCase c = makeCase(67, 12, 4, Bones::gentle), other = makeCase(67, 12, 4, Bones::gentle, 99);
        SkinCase expected = c;
        expected.mesh = other.mesh;
        const Posed posed = Skinner(method, c).all({other.mesh.positions, other.mesh.normals});
        EXPECT_LT(farthest(posed.positions, referenceOf(method, expected).positions), 4e-6);
        EXPECT_LT(farthest(posed.normals, referenceOf(method, expected).normals), 4e-6);
        const Posed half = Skinner(method, c).all({other.mesh.positions, {}});
        EXPECT_TRUE(sameBits(half.positions, posed.positions));
        EXPECT_TRUE(sameBits(half.normals, Skinner(method, c).all().normals));
    }
}

TEST(Properties, TheResultMayReplaceTheRestShapeInPlace) {
    for (const Method method : kSkinMethods) {
        const SkinCase c = makeCase(67, 12, 4, Bones::gentle);
        const Skinner skinner(method, c);
        Posed posed{c.mesh.positions, c.mesh.normals};
        skinner.evaluate({posed.positions, posed.normals}, 0, 67, {posed.positions, posed.normals});
        EXPECT_EQ(posed, skinner.all());
    }
}

TEST(Properties, NormalsAreLeftAloneWhereTheRestShapeHasNone) {
    for (const Method method : kSkinMethods) {
        SkinCase c = makeCase(20, 5, 2, Bones::gentle);
        c.mesh.normals.clear();
        std::vector<Vec3f> positions(20), normals(20, Vec3f{7, 8, 9});
        Skinner(method, c).evaluate({}, 0, 20, {positions, normals});
        EXPECT_EQ(normals, std::vector<Vec3f>(20, Vec3f{7, 8, 9}));
    }
}

}  // namespace
}  // namespace pelt::deform
