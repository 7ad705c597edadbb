#include <gtest/gtest.h>

#include "skin_case.h"

namespace pelt::deform {
namespace {

/// Three vertices of one triangle, with its normal, all on joint 0.
SkinCase triangleCase(const Affine3f& bone) {
    SkinCase c;
    c.mesh.positions = {{0.1f, 0.2f, 0.3f}, {1.1f, 0.4f, 0.2f}, {0.3f, 1.2f, 0.9f}};
    const auto& p = c.mesh.positions;
    const Vec3f n = normalized(cross(p[1] - p[0], p[2] - p[0]));
    c.mesh.normals = {n, n, n};
    const std::uint32_t joint[] = {0};
    const float one[] = {1};
    for (int v = 0; v < 3; ++v) appendVertex(c.weights, joint, one);
    c.centres = {{0, 0, 0}};
    c.bones = {bone};
    return c;
}

TEST(Lbs, NormalsStayPerpendicularToAScaledSurface) {
    const SkinCase c = triangleCase(Affine3f(Mat3f{{{3, 0.5f, 0}, {0, 0.2f, 0.1f}, {0.3f, 0, 1}}}, {1, 2, 3}));
    const Posed posed = Skinner(Method::lbs, c).all();
    const auto& p = posed.positions;
    const Vec3f expected = normalized(cross(p[1] - p[0], p[2] - p[0]));
    EXPECT_LT(length(posed.normals[0] - expected), 2e-6);
    EXPECT_NEAR(length(posed.normals[0]), 1, 1e-6);
}

TEST(Lbs, AMirroredJointKeepsNormalsOnTheirSideOfTheSurface) {
    const Affine3f mirror(Mat3f{{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {});
    const SkinCase c = triangleCase(mirror);
    const Posed posed = Skinner(Method::lbs, c).all();
    const Vec3f n = c.mesh.normals[0];
    EXPECT_LT(length(posed.normals[0] - Vec3f{-n.x, n.y, n.z}), 1e-6);
}

TEST(Lbs, NormalsKeepTheirDirectionFromTinyToHugeScale) {
    for (const float scale : {1e-8f, 1e-4f, 1e4f, 1e8f}) {
        const SkinCase c = triangleCase(Affine3f(Mat3f{} * scale, {}));
        EXPECT_LT(length(Skinner(Method::lbs, c).all().normals[0] - c.mesh.normals[0]), 1e-6) << scale;
    }
    for (const float scale : {1e-30f, 1e30f}) {  // beyond what single precision squares: the rest normal
        const SkinCase c = triangleCase(Affine3f(Mat3f{} * scale, {}));
        EXPECT_LT(length(Skinner(Method::lbs, c).all().normals[0] - c.mesh.normals[0]), 1e-6) << scale;
    }
}

TEST(Lbs, TwistingByAHalfTurnCollapsesTheMiddle) {  // the candy wrapper, which is what the formula says
    SkinCase c;
    c.mesh.positions = {{0, 1, 0}};
    const std::uint32_t joints[] = {0, 1};
    const float halves[] = {0.5f, 0.5f};
    appendVertex(c.weights, joints, halves);
    c.bones = {{}, Affine3f(Affine3d(toMatrix(axisAngle(Vec3d{1, 0, 0}, std::numbers::pi)), {}))};
    c.centres = {{}, {}};
    EXPECT_LT(length(Skinner(Method::lbs, c).all().positions[0]), 1e-6);
}

TEST(Lbs, MoreBonesThanTheWeightsNameAreIgnored) {
    SkinCase c = makeCase(30, 5, 3, Bones::gentle);
    const Posed posed = Skinner(Method::lbs, c).all();
    c.bones.emplace_back();
    EXPECT_EQ(Skinner(Method::lbs, c).all(), posed);
}

TEST(Lbs, ABoneOfNaNsSpoilsNoBlockThatDoesNotNameIt) {
    SkinCase c = makeCase(64, 8, 1, Bones::gentle);
    for (std::size_t v = 0; v < 32; ++v) c.weights.joints[v] = 2;
    for (float& m : c.bones[3].m) m = NAN;
    const Posed posed = Skinner(Method::lbs, c).all();
    for (std::size_t v = 0; v < 32; ++v) EXPECT_TRUE(isFinite(posed.positions[v]));
    for (std::size_t v = 32; v < 64; ++v)
        if (c.weights.joints[v] == 3) {
            EXPECT_FALSE(isFinite(posed.positions[v]));
        }
}

TEST(Lbs, TheSinglePrecisionReferenceAgreesWithTheDouble) {
    const SkinCase c = makeCase(67, 12, 4, Bones::gentle);
    Posed single{c.mesh.positions, c.mesh.normals};
    reference::lbs<float>({c.mesh.positions, c.mesh.normals}, c.weights, c.bones, {single.positions, single.normals});
    EXPECT_LT(farthest(single.positions, referenceOf(Method::lbs, c).positions), 4e-6);
    EXPECT_LT(farthest(single.normals, referenceOf(Method::lbs, c).normals), 4e-6);
}

}  // namespace
}  // namespace pelt::deform
