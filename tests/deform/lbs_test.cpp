// Linear blend skinning.
#include <gtest/gtest.h>
#include <pelt/core/error.h>

#include <array>

#include "instruction_sets.h"
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
    c.centers = {{0, 0, 0}};
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

TEST(Lbs, TwistingByAHalfTurnCollapsesTheMiddle) {  // the candy-wrapper effect of the formula
    SkinCase c;
    c.mesh.positions = {{0, 1, 0}};
    const std::uint32_t joints[] = {0, 1};
    const float halves[] = {0.5f, 0.5f};
    appendVertex(c.weights, joints, halves);
    c.bones = {{}, Affine3f(Affine3d(toMatrix(axisAngle(Vec3d{1, 0, 0}, std::numbers::pi)), {}))};
    c.centers = {{}, {}};
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

/// Vertices in order along a chain of joints, as in files: 40 on one joint alone, then 60 on it and the next, every
/// third of those on a third joint too. Blocks share joints for long, then change in the middle of one.
SkinCase chainCase(std::size_t vertices, Bones kind) {
    SkinCase c = makeCase(vertices, vertices / 100 + 3, 1, kind);
    c.weights = {};
    Random random(5);
    for (std::uint32_t v = 0; v < vertices; ++v) {
        const std::uint32_t joint = v / 100;
        const float a = float(random.between(0.1, 0.6)), b = float(random.between(0.1, 0.3));
        const std::array<std::uint32_t, 3> joints{joint, joint + 1, joint + 2};
        const std::array<float, 3> weights{1 - a - b, a, b};
        const std::size_t count = v % 100 < 40 ? 1 : v % 3 == 0 ? 3 : 2;
        appendVertex(c.weights, {joints.data(), count}, {weights.data(), count});
    }
    return c;
}

TEST(Lbs, AlongAChainOfJointsEveryInstructionSetAgreesWithTheReferenceHoweverTheMeshIsCut) {
    const std::size_t count = 700;
    for (const Bones kind : {Bones::gentle, Bones::wild, Bones::stretched}) {
        const SkinCase c = chainCase(count, kind);
        const PosedDouble expected = referenceOf(Method::lbs, c);
        const Skinner skinner(Method::lbs, c);
        onEachInstructionSet([&](std::int64_t) {
            const Posed whole = skinner.all();
            EXPECT_LT(farthest(whole.positions, expected.positions), 4e-6);
            EXPECT_LT(farthest(whole.normals, expected.normals), kind == Bones::gentle ? 2e-6 : 2e-4);
            for (const std::size_t piece : {16, 48, 101, 250}) {
                Posed cut{std::vector<Vec3f>(count), std::vector<Vec3f>(count)};
                for (std::size_t first = 0; first < count; first += piece)
                    skinner.evaluate({}, first, std::min(piece, count - first), {cut.positions, cut.normals});
                EXPECT_TRUE(sameBits(cut.positions, whole.positions)) << piece;
                EXPECT_TRUE(sameBits(cut.normals, whole.normals)) << piece;
            }
        });
    }
}

/// Of [MohrGleicher03]: weights of any sign that sum to 1, here from -3 to 4.
TEST(Lbs, WeightsOfAnySignPlayAsTheFormulaSays) {
    SkinCase c = chainCase(300, Bones::gentle);
    for (std::size_t v = 0; v < 300; ++v) {
        const std::span<float> row = std::span(c.weights.weights).subspan(c.weights.offsets[v], c.weights.rowSize(v));
        if (row.size() < 2) continue;
        const float much = 3 * float(v) / 300;
        row[0] += much;
        row[1] -= much;
    }
    EXPECT_THROW(prepareLbs(c.mesh, c.weights), Error);
    const LbsRig rig = prepareLbs(c.mesh, c.weights, LbsForm::full, WeightSigns::any);
    LbsPose pose(rig);
    pose.set(c.bones);
    std::vector<Vec3f> positions(300), normals(300);
    onEachInstructionSet([&](std::int64_t) {
        evaluate(rig, pose, {}, 0, 300, {positions, normals});
        for (std::size_t v = 0; v < 300; ++v) {
            Vec3d x;
            Mat3d blend{{Vec3d{}, Vec3d{}, Vec3d{}}};
            for (std::size_t i = 0; i < c.weights.influenceCount(v); ++i) {
                const Affine3d bone(c.bones[c.weights.jointsOf(v)[i]]);
                const double w = c.weights.weightsOf(v)[i];
                x += bone * Vec3d(c.mesh.positions[v]) * w;
                blend = blend + bone.linear() * w;
            }
            EXPECT_LT(length(Vec3d(positions[v]) - x), 2e-5) << v;
            const Vec3d n =
                normalized(cofactor(blend) * Vec3d(c.mesh.normals[v])) * (determinant(blend) < 0 ? -1.0 : 1.0);
            EXPECT_LT(length(Vec3d(normals[v]) - n), 2e-3) << v;
        }
    });
}

TEST(Lbs, TheCompactFormHasTheSamePositionsToTheBitAndIsSmaller) {
    for (const SkinCase& c : {chainCase(700, Bones::stretched), makeCase(333, 20, 5, Bones::wild)}) {
        const LbsRig full = prepareLbs(c.mesh, c.weights), compact = prepareLbs(c.mesh, c.weights, LbsForm::compact);
        EXPECT_LT(compact.bytes().size(), full.bytes().size());
        EXPECT_EQ(multiplyAdds(compact), multiplyAdds(full));
        EXPECT_TRUE(compact.view().hasNormals());
        LbsPose full_pose(full), compact_pose(compact);
        full_pose.set(c.bones);
        compact_pose.set(c.bones);
        const std::size_t count = c.mesh.vertexCount();
        onEachInstructionSet([&](std::int64_t) {
            Posed a{std::vector<Vec3f>(count), std::vector<Vec3f>(count)}, b = a, given = a;
            evaluate(full, full_pose, {}, 0, count, {a.positions, a.normals});
            for (std::size_t first = 0; first < count; first += 101)
                evaluate(compact, compact_pose, {}, first, std::min<std::size_t>(101, count - first),
                         {b.positions, b.normals});
            EXPECT_TRUE(sameBits(a.positions, b.positions));
            // Normals of a pose that flattens what is around them are farther off than those at rest.
            EXPECT_LT(farthest(a.normals, b.normals), 2e-3);
            evaluate(compact, compact_pose, {{}, c.mesh.normals}, 0, count, {given.positions, given.normals});
            EXPECT_TRUE(sameBits(a.normals, given.normals));
        });
        const LbsPose at_rest(compact);
        Posed rest{std::vector<Vec3f>(count), std::vector<Vec3f>(count)};
        evaluate(compact, at_rest, {}, 0, count, {rest.positions, rest.normals});
        EXPECT_TRUE(sameBits(rest.positions, c.mesh.positions));
        EXPECT_LT(farthest(rest.normals, c.mesh.normals), 3e-5);
    }
}

TEST(Lbs, CopiesAmongVerticesOfOneOfTheirJointsComeOutBitEqual) {
    SkinCase c = chainCase(700, Bones::stretched);
    const auto originalOf = [](std::size_t v) { return v >= 300 && v < 340 && v % 2 == 0 ? v - 60 : v; };
    SkinWeights weights;
    for (std::size_t v = 0; v < 700; ++v) {
        c.mesh.positions[v] = c.mesh.positions[originalOf(v)];
        c.mesh.normals[v] = c.mesh.normals[originalOf(v)];
        appendVertex(weights, c.weights.jointsOf(originalOf(v)), c.weights.weightsOf(originalOf(v)));
    }
    c.weights = weights;
    const Posed posed = Skinner(Method::lbs, c).all();
    for (std::size_t v = 0; v < 700; ++v) {
        EXPECT_EQ(posed.positions[v], posed.positions[originalOf(v)]) << v;
        EXPECT_EQ(posed.normals[v], posed.normals[originalOf(v)]) << v;
    }
}

TEST(Lbs, AJointMovedFarAwaySpoilsNoVertexThatDoesNotUseIt) {  // as props are hidden
    SkinCase c = makeCase(160, 3, 1, Bones::gentle);
    c.bones[1].m[12] += 1e7f;
    c.weights = {};
    const auto usesIt = [](std::size_t v) { return v % 16 < 10; };  // most of every block
    const std::uint32_t far[] = {1}, near[] = {0, 2};
    const float one[] = {1}, two[] = {0.4f, 0.6f};
    for (std::size_t v = 0; v < 160; ++v)
        usesIt(v) ? appendVertex(c.weights, far, one) : appendVertex(c.weights, near, two);
    const Posed posed = Skinner(Method::lbs, c).all();
    const PosedDouble expected = referenceOf(Method::lbs, c);
    for (std::size_t v = 0; v < 160; ++v)
        if (!usesIt(v)) {
            EXPECT_LT(length(Vec3d(posed.positions[v]) - expected.positions[v]), 4e-6) << v;
        }
}

TEST(Lbs, AMotionThatAllJointsShareIsFollowedAsByOneJointToTheBit) {
    SkinCase c = chainCase(700, Bones::gentle);
    for (Affine3f& bone : c.bones) bone = c.bones[2];
    SkinCase rigid = c;
    rigid.weights = {};
    const std::uint32_t joint[] = {0};
    const float one[] = {1};
    for (std::size_t v = 0; v < 700; ++v) appendVertex(rigid.weights, joint, one);
    EXPECT_EQ(Skinner(Method::lbs, c).all(), Skinner(Method::lbs, rigid).all());
}

TEST(Lbs, APoseIsTheLastOneSetAndAtRestBefore) {
    const SkinCase c = makeCase(67, 9, 4, Bones::gentle), other = makeCase(67, 9, 4, Bones::wild, 2);
    const LbsRig rig = prepareLbs(c.mesh, c.weights);
    LbsPose pose(rig);
    std::vector<Vec3f> positions(67);
    evaluate(rig, pose, {}, 0, 67, {positions, {}});
    EXPECT_EQ(positions, c.mesh.positions);
    pose.set(other.bones);
    pose.set(c.bones);
    evaluate(rig, pose, {}, 0, 67, {positions, {}});
    EXPECT_EQ(positions, Skinner(Method::lbs, c).all().positions);
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
