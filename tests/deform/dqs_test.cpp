// Dual quaternion skinning.
#include <gtest/gtest.h>

#include "deform/dqs/polar.h"
#include "runtime/dqs/bone_split.h"
#include "runtime/dqs/dqs_rig.h"
#include "skin_case.h"

namespace pelt::deform {
namespace {

constexpr double kPi = std::numbers::pi;

Affine3f turn(const Vec3d& axis, double angle, const Vec3d& shift = {}) {
    return Affine3f(Affine3d(toMatrix(axisAngle(axis, angle)), shift));
}

/// One vertex on several joints at the origin.
SkinCase vertexCase(const Vec3f& position, std::vector<float> weights, std::vector<Affine3f> bones) {
    SkinCase c;
    c.mesh.positions = {position};
    c.mesh.normals = {{0, 0, 1}};
    std::vector<std::uint32_t> joints(weights.size());
    for (std::uint32_t j = 0; j < joints.size(); ++j) joints[j] = j;
    appendVertex(c.weights, joints, weights);
    c.bones = std::move(bones);
    c.centers.assign(c.bones.size(), Vec3d{});
    return c;
}

double largestDifference(const Mat3d& a, const Mat3d& b) {
    double largest = 0;
    for (int col = 0; col < 3; ++col)
        for (int row = 0; row < 3; ++row) largest = std::max(largest, std::abs(a(row, col) - b(row, col)));
    return largest;
}

TEST(Dqs, HalfOfATwistIsTheTwistByHalfTheAngle) {
    const SkinCase c = vertexCase({0, 1, 0}, {0.5f, 0.5f}, {{}, turn({1, 0, 0}, 3.0)});
    const Vec3f x = Skinner(Method::dqs, c).all().positions[0];
    EXPECT_LT(length(x - Vec3f{0, float(std::cos(1.5)), float(std::sin(1.5))}), 1e-6);
}

TEST(Dqs, TheHemisphereIsTheHeaviestJoints) {
    // 0°, 150° and -150° about one axis: both rotated joints are within 180° of the first, but more than 180° from each
    // other. The heaviest joint decides the direction.
    const std::vector<Affine3f> bones{{}, turn({0, 0, 1}, 2.6), turn({0, 0, 1}, -2.6)};
    for (const std::vector<float>& w :
         {std::vector<float>{0.5f, 0.25f, 0.25f}, {0.2f, 0.5f, 0.3f}, {0.2f, 0.3f, 0.5f}}) {
        const SkinCase c = vertexCase({1, 0, 0}, w, bones);
        const auto expected = referenceOf(Method::dqs, c).positions;
        EXPECT_LT(farthest(Skinner(Method::dqs, c).all().positions, expected), 2e-6);
    }
    const Vec3f middle = Skinner(Method::dqs, vertexCase({1, 0, 0}, {0.5f, 0.25f, 0.25f}, bones)).all().positions[0];
    EXPECT_LT(length(middle - Vec3f{1, 0, 0}), 1e-6);
}

TEST(Dqs, TiesGoToTheLowestJoint) {
    const std::vector<Affine3f> bones{turn({0, 0, 1}, 2.6), {}, turn({0, 0, 1}, -2.6)};
    SkinCase c = vertexCase({1, 0, 0}, {1, 1, 1}, bones);
    const Vec3f x = Skinner(Method::dqs, c).all().positions[0];
    std::swap(c.weights.joints[0], c.weights.joints[2]);  // the order in the file must not matter
    EXPECT_EQ(Skinner(Method::dqs, c).all().positions[0], x);
    EXPECT_LT(farthest(std::vector<Vec3f>{x}, referenceOf(Method::dqs, c).positions), 2e-6);
}

TEST(Dqs, OppositeQuaternionsOfOneRotationDoNotCancel) {
    // A full turn is the identity with the other quaternion; half turns about ±x are one rotation.
    const SkinCase c = vertexCase({0, 1, 0.5f}, {0.5f, 0.5f}, {turn({1, 0, 0}, kPi), turn({-1, 0, 0}, kPi)});
    const Vec3f x = Skinner(Method::dqs, c).all().positions[0];
    EXPECT_LT(length(x - Vec3f{0, -1, -0.5f}), 1e-6);
}

TEST(Dqs, HalfTurnsAboutDifferentAxesStayFinite) {  // quaternions at right angles: no side is right
    const SkinCase c = vertexCase({0.3f, 1, 0.5f}, {0.4f, 0.3f, 0.3f},
                                  {turn({1, 0, 0}, kPi), turn({0, 1, 0}, kPi), turn({0, 0, 1}, kPi)});
    const Posed posed = Skinner(Method::dqs, c).all();
    EXPECT_TRUE(isFinite(posed.positions[0]));
    EXPECT_NEAR(length(posed.positions[0]), length(c.mesh.positions[0]), 1e-6);
    EXPECT_NEAR(length(posed.normals[0]), 1, 1e-6);
}

TEST(Dqs, BothWaysOfChoosingSignsGiveTheSameBits) {
    // Moderate poses use the path without per-vertex signs; one strongly rotated joint forces the other path for all
    // vertices.
    SkinCase c = makeCase(160, 10, 4, Bones::gentle);
    const Posed plain = Skinner(Method::dqs, c).all();
    const std::uint32_t far[] = {10, 11, 12};
    const float thirds[] = {1, 1, 1};
    c.mesh.positions.push_back({});
    c.mesh.normals.push_back({0, 0, 1});
    appendVertex(c.weights, far, thirds);
    const float second[] = {1, 3, 1};
    c.mesh.positions.push_back({});
    c.mesh.normals.push_back({0, 0, 1});
    appendVertex(c.weights, far, second);
    for (const double angle : {0.0, 2.6, -2.6}) {
        c.bones.push_back(turn({0, 0, 1}, angle));
        c.centers.emplace_back();
    }
    const DqsRig rig = prepareDqs(c.mesh, c.weights, c.centers);
    DqsPose pose(rig);
    pose.set(c.bones);
    ASSERT_FALSE(pose.data().aligned);
    Posed chosen = Skinner(Method::dqs, c).all();
    // The origin of the pose moved with the new joints, so positions agree to rounding and normals to the bit.
    chosen.positions.resize(160);
    chosen.normals.resize(160);
    EXPECT_LT(farthest(chosen.positions, plain.positions), 2e-6);
    EXPECT_TRUE(sameBits(chosen.normals, plain.normals));
}

TEST(Dqs, LanesOfOneBlockChooseTheirSignsEach) {
    SkinCase c;
    c.bones = {{}, turn({0, 0, 1}, 2.6), turn({0, 0, 1}, -2.6)};
    c.centers.assign(3, Vec3d{});
    const std::uint32_t joints[] = {0, 1, 2};
    for (int v = 0; v < 37; ++v) {  // each joint is the heaviest of some lanes of every block
        float weights[] = {0.2f, 0.25f, 0.3f};
        weights[v % 3] = 0.6f;
        if (v % 5 == 0) weights[(v + 1) % 3] = 0;
        c.mesh.positions.push_back({1, 0.1f * float(v), 0.3f});
        c.mesh.normals.push_back({0, 1, 0});
        appendVertex(c.weights, joints, weights);
    }
    const DqsRig rig = prepareDqs(c.mesh, c.weights, c.centers);
    DqsPose pose(rig);
    pose.set(c.bones);
    ASSERT_FALSE(pose.data().aligned);
    const Posed posed = Skinner(Method::dqs, c).all();
    const PosedDouble expected = referenceOf(Method::dqs, c);
    EXPECT_LT(farthest(posed.positions, expected.positions), 4e-6);
    EXPECT_LT(farthest(posed.normals, expected.normals), 4e-6);
}

TEST(Dqs, AGentlePoseNeedsNoSignsPerVertex) {
    const SkinCase c = makeCase(64, 10, 4, Bones::gentle);
    const DqsRig rig = prepareDqs(c.mesh, c.weights, c.centers);
    DqsPose pose(rig);
    pose.set(c.bones);
    EXPECT_TRUE(pose.data().aligned);
    EXPECT_FALSE(pose.data().stretched);
}

TEST(Dqs, StretchesAreBlendedAboutTheJointsRestPositions) {
    // Scaled about its own joint: the joint's position does not change, whatever the weights are.
    SkinCase c = vertexCase({2, 0, 0}, {0.5f, 0.5f}, {{}, {}});
    c.centers = {{2, 0, 0}, {2, 0, 0}};
    const Mat3d scale{{{3, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    c.bones[1] = Affine3f(Affine3d(scale, c.centers[1] - scale * c.centers[1]));
    EXPECT_LT(length(Skinner(Method::dqs, c).all().positions[0] - Vec3f{2, 0, 0}), 1e-6);
    c.mesh.positions = {{3, 0, 0}};
    EXPECT_LT(length(Skinner(Method::dqs, c).all().positions[0] - Vec3f{4, 0, 0}), 1e-6);
}

TEST(Dqs, CopiesOfAVertexAreBitEqualWhetherOrNotTheirBlocksHaveAJointThatStretches) {
    SkinCase c = makeCase(16, 3, 3, Bones::gentle);
    const std::uint32_t other[] = {3};
    const float one[] = {1};
    for (std::size_t v = 0; v < 16; ++v) {  // the same vertices once more, but for the last
        const bool last = v == 15;
        c.mesh.positions.push_back(c.mesh.positions[v]);
        c.mesh.normals.push_back(c.mesh.normals[v]);
        if (last)
            appendVertex(c.weights, other, one);
        else
            appendVertex(c.weights, std::vector(c.weights.jointsOf(v).begin(), c.weights.jointsOf(v).end()),
                         std::vector(c.weights.weightsOf(v).begin(), c.weights.weightsOf(v).end()));
    }
    c.bones.push_back(Affine3f(Affine3d(Mat3d{} * 2.0, {0.3, 0.1, 0})));
    c.centers.emplace_back();
    const Posed posed = Skinner(Method::dqs, c).all();
    const PosedDouble expected = referenceOf(Method::dqs, c);
    EXPECT_LT(farthest(posed.positions, expected.positions), 4e-6);
    for (std::size_t v = 0; v < 15; ++v) EXPECT_TRUE(sameBits({posed.positions[v]}, {posed.positions[v + 16]})) << v;
}

TEST(Dqs, ResultsAreContinuousWhereStretchesStartToCount) {
    SkinCase c = makeCase(67, 8, 4, Bones::gentle);
    std::vector<Posed> posed;
    for (const double stretch : {0.0, 0.9e-6, 1.1e-6, 2e-6}) {
        SkinCase s = c;
        for (Affine3f& b : s.bones) b = Affine3f(Affine3d(b) * Affine3d(Mat3d{} * (1 + stretch), {}));
        posed.push_back(Skinner(Method::dqs, s).all());
    }
    for (std::size_t i = 1; i < posed.size(); ++i)
        EXPECT_LT(farthest(posed[i].positions, posed[i - 1].positions), 2e-6 * c.diagonal());
}

TEST(Dqs, SmallStretchesCount) {
    SkinCase c = makeCase(67, 8, 4, Bones::gentle);
    for (Affine3f& b : c.bones)
        b = Affine3f(Affine3d(b) * Affine3d(Mat3d{{{1 + 3e-5, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}));
    EXPECT_LT(farthest(Skinner(Method::dqs, c).all().positions, referenceOf(Method::dqs, c).positions), 4e-6);
}

TEST(Dqs, AMirroredRigidCharacterKeepsItsShadingOutward) {
    // Every bone mirrored after posing: normals are the mirror images of those of the unmirrored pose.
    SkinCase c = makeCase(67, 1, 1, Bones::gentle);
    const Posed plain = Skinner(Method::dqs, c).all();
    const Affine3d mirror(Mat3d{{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {});
    for (Affine3f& b : c.bones) b = Affine3f(mirror * Affine3d(b));
    const Posed posed = Skinner(Method::dqs, c).all();
    for (std::size_t v = 0; v < 67; ++v) {
        const Vec3f n = plain.normals[v], x = plain.positions[v];
        EXPECT_LT(length(posed.normals[v] - Vec3f{-n.x, n.y, n.z}), 2e-6);
        EXPECT_LT(length(posed.positions[v] - Vec3f{-x.x, x.y, x.z}), 2e-6);
    }
}

TEST(Dqs, MirroredJointsBlendAsGentlyAsTheirUnmirroredSelves) {
    SkinCase c = makeCase(200, 6, 3, Bones::gentle);
    SkinCase m = c;
    const Affine3d mirror(Mat3d{{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}}, {});
    for (Affine3f& b : m.bones) b = Affine3f(mirror * Affine3d(b));
    const auto plain = castAll<Vec3d>(Skinner(Method::dqs, c).all().positions);
    const auto posed = Skinner(Method::dqs, m).all().positions;
    for (std::size_t v = 0; v < plain.size(); ++v) EXPECT_LT(length(Vec3d(posed[v]) - mirror * plain[v]), 0.25);
}

/// The decomposition that the reference takes from a singular value decomposition, and the closed form of the run time.
template <class Split>
void expectSplits(const Split& split) {
    Random random(5);
    for (int i = 0; i < 300; ++i) {
        Mat3d a;
        for (Vec3d& col : a.col) col = random.direction() * random.between(0.01, 3);
        if (i % 3 == 0) a.col[2] = a.col[0] * 2.0 + a.col[1];  // singular
        const auto p = split(a);
        EXPECT_LT(largestDifference(p.rotation * p.stretch, a), 1e-12);
        EXPECT_LT(largestDifference(p.rotation * transposed(p.rotation), {}), 1e-12);
        EXPECT_NEAR(determinant(p.rotation), 1, 1e-12);
        EXPECT_LT(largestDifference(p.stretch, transposed(p.stretch)), 1e-12);
        if (i % 3 != 0) {
            EXPECT_EQ(p.mirrored, determinant(a) < 0);
        }
    }
}

TEST(Polar, PartsMultiplyToTheMatrixAndTheRotationIsOne) {
    expectSplits(polarDecompose);
    expectSplits(runtime::splitBone);
}

TEST(Polar, TheClosedFormAgreesWithTheSingularValueDecomposition) {
    Random random(11);
    for (int i = 0; i < 300; ++i) {
        Mat3d a;
        for (Vec3d& col : a.col) col = random.direction() * random.between(0.05, 3);
        const Polar exact = polarDecompose(a);
        const runtime::BoneSplit split = runtime::splitBone(a);
        EXPECT_LT(largestDifference(split.rotation, exact.rotation), 1e-9);
        EXPECT_LT(largestDifference(split.stretch, exact.stretch), 1e-9);
        EXPECT_LT(largestDifference(split.mirror, exact.mirror), 1e-7);
        EXPECT_EQ(split.mirrored, exact.mirrored);
    }
}

TEST(Polar, WhatIsLeftOfABoneWithoutBreadthIsSplitToo) {
    Random random(13);
    for (int i = 0; i < 100; ++i) {  // s u v^T, and the same with u = -v
        const Vec3d v = random.direction(), u = i % 4 == 0 ? -v : random.direction();
        const double s = random.between(0.1, 2);
        const Mat3d a{{u * (s * v.x), u * (s * v.y), u * (s * v.z)}};
        const runtime::BoneSplit split = runtime::splitBone(a);
        EXPECT_LT(largestDifference(split.rotation * split.stretch, a), 1e-6);
        EXPECT_LT(largestDifference(split.rotation * transposed(split.rotation), {}), 1e-12);
        EXPECT_NEAR(determinant(split.rotation), 1, 1e-12);
        EXPECT_FALSE(split.mirrored);
    }
}

TEST(Polar, MirroredRotationsAllMirrorTheSameAxis) {
    Random random(7);
    for (int i = 0; i < 100; ++i) {
        const Mat3d r = toMatrix(axisAngle(random.direction(), random.between(-3, 3)));
        const Affine3f rounded(Affine3d(r * Mat3d{{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}}}, {}));
        const Mat3d a = Affine3d(rounded).linear();
        EXPECT_LT(largestDifference(polarDecompose(a).mirror, {{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}), 1e-5);
        EXPECT_LT(largestDifference(runtime::splitBone(a).mirror, {{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}), 1e-5);
    }
}

TEST(Polar, ZeroAndNumbersThatAreNoneGiveARotation) {
    for (const double value : {0.0, double(NAN), double(INFINITY)}) {
        const Vec3d column{value, value, value};
        const Polar p = polarDecompose({{column, column, column}});
        EXPECT_NEAR(determinant(p.rotation), 1, 1e-12);
        EXPECT_TRUE(isFinite(p.stretch.col[0]));
        const runtime::BoneSplit s = runtime::splitBone({{column, column, column}});
        EXPECT_NEAR(determinant(s.rotation), 1, 1e-12);
        EXPECT_TRUE(isFinite(s.stretch.col[0]));
    }
}

}  // namespace
}  // namespace pelt::deform
