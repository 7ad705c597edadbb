// Skinning with centers of rotation.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/deform/cor.h>
#include <pelt/deform/ddm.h>
#include <pelt/rig/clip.h>
#include <pelt/scenes/scenes.h>

#include "skin_case.h"

namespace pelt::deform {
namespace {

double weightOn(const SkinWeights& weights, std::size_t vertex, std::size_t joint) {
    double sum = 0, value = 0;
    for (std::size_t i = 0; i < weights.influenceCount(vertex); ++i) {
        sum += weights.weightsOf(vertex)[i];
        if (weights.jointsOf(vertex)[i] == joint) value = weights.weightsOf(vertex)[i];
    }
    return value / sum;
}

/// The formula over dense weights, every vertex with every triangle [LeHodgins16].
std::vector<Vec3d> plainCenters(const Mesh& mesh, const SkinWeights& weights, std::size_t joints, double sigma) {
    std::vector<Vec3d> centers;
    for (std::size_t i = 0; i < mesh.vertexCount(); ++i) {
        Vec3d moment;
        double total = 0;
        for (const Triangle& t : mesh.triangles) {
            const Vec3d a(mesh.positions[t[0]]), b(mesh.positions[t[1]]), c(mesh.positions[t[2]]);
            std::vector<double> u, v;
            for (std::size_t j = 0; j < joints; ++j) {
                u.push_back(weightOn(weights, i, j));
                v.push_back((weightOn(weights, t[0], j) + weightOn(weights, t[1], j) + weightOn(weights, t[2], j)) / 3);
            }
            double s = 0;
            for (std::size_t j = 0; j < joints; ++j)
                for (std::size_t k = 0; k < joints; ++k) {
                    const double difference = (u[j] * v[k] - u[k] * v[j]) / sigma;
                    if (j != k) s += u[j] * u[k] * v[j] * v[k] * std::exp(-difference * difference);
                }
            const double area = length(cross(b - a, c - a)) / 2;
            total += s * area;
            moment += (a + b + c) / 3 * (s * area);
        }
        centers.push_back(total > 0 ? moment / total : Vec3d(mesh.positions[i]));
    }
    return centers;
}

/// x = R (u − p) + Σ w M p with R of the blended quaternions; bones are rigid.
std::vector<Vec3d> plainCor(const Mesh& mesh, const SkinWeights& weights, const std::vector<Vec3d>& centers,
                            const std::vector<Affine3d>& bones) {
    std::vector<Vec3d> posed;
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
        const auto joints = weights.jointsOf(v);
        const Quatd pivot = toQuat(bones[joints[0]].linear());  // the heaviest comes first
        Quatd q{0, 0, 0, 0};
        Vec3d moved;
        for (std::size_t i = 0; i < joints.size(); ++i) {
            const Quatd own = toQuat(bones[joints[i]].linear());
            const double w = weightOn(weights, v, joints[i]), signed_w = dot(own, pivot) < 0 ? -w : w;
            q = {q.x + signed_w * own.x, q.y + signed_w * own.y, q.z + signed_w * own.z, q.w + signed_w * own.w};
            moved += bones[joints[i]] * centers[v] * w;
        }
        posed.push_back(toMatrix(normalized(q)) * (Vec3d(mesh.positions[v]) - centers[v]) + moved);
    }
    return posed;
}

std::vector<Vec3f> poseRows(const Mesh& mesh, const DdmRows<float>& rows, const std::vector<Affine3d>& bones) {
    const DdmRig rig = packDdm(mesh, rows, DdmForm::v4);
    DdmPose pose(rig);
    pose.set(castAll<Affine3f>(bones));
    std::vector<Vec3f> posed(mesh.vertexCount());
    evaluate(rig, pose, {}, 0, posed.size(), {posed, {}});
    return posed;
}

/// A bar on two joints whose weights change smoothly along it and not round it.
struct Bar {
    Mesh mesh;
    SkinWeights weights;

    explicit Bar(std::size_t resolution) : mesh(scenes::find("bar")->make(resolution).mesh) {
        const std::uint32_t joints[] = {0, 1};
        for (const Vec3f& p : mesh.positions) {
            const float t = std::clamp((p.y - 0.3f) / 0.4f, 0.0f, 1.0f), upper = t * t * (3 - 2 * t);
            const float values[] = {1 - upper, upper};
            appendVertex(weights, joints, values);
        }
    }

    /// The upper half turned about the middle of the bar.
    static std::vector<Affine3d> turned(const Vec3d& axis, double degrees) {
        const Mat3d turn = toMatrix(axisAngle(axis, degrees * std::numbers::pi / 180));
        const Vec3d middle{0, 0.5, 0};
        return {Affine3d{}, Affine3d(turn, middle - turn * middle)};
    }

    double volume(const std::vector<Vec3d>& p) const {
        double sum = 0;
        for (const Triangle& t : mesh.triangles) sum += dot(p[t[0]], cross(p[t[1]], p[t[2]])) / 6;
        return sum;
    }
    double restVolume() const { return volume(castAll<Vec3d>(mesh.positions)); }
    double corVolume(const std::vector<Affine3d>& bones) const {
        return volume(castAll<Vec3d>(poseRows(mesh, corRows(mesh, weights), bones)));
    }
    double lbsVolume(const std::vector<Affine3d>& bones) const {
        auto posed = castAll<Vec3d>(mesh.positions);
        const auto rest = posed;
        reference::lbs<double>({rest, {}}, weights, bones, {posed, {}});
        return volume(posed);
    }
};

/// A branching character of five joints with smooth weights.
Character branch() {
    Character character = scenes::find("branch")->make(500);
    character.weights = scenes::smoothWeights(character, 0);
    return character;
}

TEST(Cor, CentersAreThePlainSum) {
    const Character c = branch();
    ASSERT_GT(maxInfluences(c.weights), 2u);
    for (const double sigma : {0.1, 0.4}) {
        const auto expected = plainCenters(c.mesh, c.weights, 5, sigma);
        EXPECT_LT(farthest(corCenters(c.mesh, c.weights, {sigma, 0}), expected), 1e-9);
        EXPECT_LT(farthest(corCenters(c.mesh, c.weights, {sigma}), expected), 1e-4);  // of 0.9 m
    }
}

TEST(Cor, CentersOfASymmetricBarLieOnItsAxis) {
    const Bar bar(1000);
    const auto centers = corCenters(bar.mesh, bar.weights);
    std::size_t blended = 0;
    for (std::size_t v = 0; v < centers.size(); ++v) {
        if (bar.weights.influenceCount(v) < 2) {
            EXPECT_EQ(centers[v], Vec3d(bar.mesh.positions[v]));
            continue;
        }
        ++blended;
        EXPECT_LT(std::hypot(centers[v].x, centers[v].z), 1e-6);
        EXPECT_NEAR(centers[v].y, bar.mesh.positions[v].y, 0.05);
    }
    EXPECT_GT(blended, 300u);
}

TEST(Cor, RowsAreV4AboutTheCenters) {
    const Character c = branch();
    const DdmRows<float> rows = corRows(c.mesh, c.weights);
    ASSERT_EQ(rows.vertexCount(), c.mesh.vertexCount());
    EXPECT_EQ(rows.offsets, c.weights.offsets);
    EXPECT_EQ(rows.joints, c.weights.joints);
    for (std::size_t i = 0; i < rows.blocks.size(); ++i) {
        EXPECT_NEAR(rows.psi[i], c.weights.weights[i], 1e-7);
        EXPECT_EQ(rows.blocks[i], (DdmBlock<float>{0, 0, 0, 0, 0, 0, 0, 0, 0, rows.psi[i]}));
    }

    const auto bones = rig::skinMatricesDouble(c.skeleton, &c.clips[0], 1.0);
    const auto expected = plainCor(c.mesh, c.weights, castAll<Vec3d>(rows.centers), bones);
    EXPECT_LT(farthest(poseRows(c.mesh, rows, bones), expected), 1e-6);
    EXPECT_GT(farthest(expected, c.mesh.positions), 0.05);  // it is a pose
}

TEST(Cor, ReproducesTheRestPoseAndRigidMotions) {
    const Character c = branch();
    const DdmRows<float> rows = corRows(c.mesh, c.weights);
    EXPECT_LT(farthest(poseRows(c.mesh, rows, std::vector<Affine3d>(5)), c.mesh.positions), 5e-7);
    const Affine3d g(toMatrix(axisAngle(Vec3d{1, -2, 0.5}, 2.3)), Vec3d{0.8, -0.5, 0.2});
    std::vector<Vec3d> expected;
    for (const Vec3f& p : c.mesh.positions) expected.push_back(g * Vec3d(p));
    EXPECT_LT(farthest(poseRows(c.mesh, rows, std::vector<Affine3d>(5, g)), expected), 2e-6);
}

TEST(Cor, JointsThatScaleMoveTheCentersAndTurnTheSkinAboutThem) {
    const Bar bar(1000);
    const DdmRows<float> rows = corRows(bar.mesh, bar.weights);
    const Mat3d turn = toMatrix(axisAngle(Vec3d{1, 2, 3}, 0.8));
    const Affine3d bone(turn * Mat3d{{{2, 0, 0}, {0, 3, 0}, {0, 0, 0.5}}}, {0.1, 0.2, 0.3});
    const auto posed = poseRows(bar.mesh, rows, {bone, bone});
    for (std::size_t v = 0; v < posed.size(); ++v) {
        if (bar.weights.influenceCount(v) < 2) continue;
        const Vec3d center(rows.centers[v]);
        const Vec3d expected = turn * (Vec3d(bar.mesh.positions[v]) - center) + bone * center;
        EXPECT_LT(length(Vec3d(posed[v]) - expected), 2e-6);
    }
}

TEST(Cor, ATwistByAHalfTurnKeepsTheVolumeThatLbsLoses) {
    const Bar bar(2000);
    const auto twist = Bar::turned({0, 1, 0}, 179);
    EXPECT_GT(bar.corVolume(twist), bar.lbsVolume(twist) + 0.1 * bar.restVolume());
    EXPECT_NEAR(bar.corVolume(twist), bar.restVolume(), 0.1 * bar.restVolume());
}

TEST(Cor, ABendKeepsMoreVolumeThanLbs) {
    const Bar bar(2000);
    const auto bend = Bar::turned({0, 0, 1}, 100);
    const double rest = bar.restVolume();
    EXPECT_LT(std::abs(bar.corVolume(bend) - rest), std::abs(bar.lbsVolume(bend) - rest));
}

TEST(Cor, VerticesWithEqualWeightsShareACenterToTheBit) {
    const Bar bar(1000);
    Mesh split;
    SkinWeights weights;
    std::vector<std::uint32_t> from;
    for (const Triangle& t : bar.mesh.triangles) {
        const auto first = std::uint32_t(from.size());
        for (const std::uint32_t v : t) {
            from.push_back(v);
            split.positions.push_back(bar.mesh.positions[v]);
            appendVertex(weights, bar.weights.jointsOf(v), bar.weights.weightsOf(v));
        }
        split.triangles.push_back({first, first + 1, first + 2});
    }
    const auto whole = corCenters(bar.mesh, bar.weights), parts = corCenters(split, weights);
    for (std::size_t i = 0; i < from.size(); ++i) EXPECT_EQ(parts[i], whole[from[i]]);
}

TEST(Cor, RenumberingTheVerticesChangesNothing) {
    const Character c = branch();
    const std::size_t n = c.mesh.vertexCount();
    Mesh mesh;
    SkinWeights weights;
    for (std::size_t v = 0; v < n; ++v) {
        mesh.positions.push_back(c.mesh.positions[n - 1 - v]);
        const auto joints = c.weights.jointsOf(n - 1 - v);
        const auto values = c.weights.weightsOf(n - 1 - v);
        weights.joints.insert(weights.joints.end(), joints.begin(), joints.end());
        weights.weights.insert(weights.weights.end(), values.begin(), values.end());
        weights.offsets.push_back(std::uint32_t(weights.joints.size()));
    }
    for (auto t = c.mesh.triangles.rbegin(); t != c.mesh.triangles.rend(); ++t) {
        const auto last = std::uint32_t(n - 1);
        mesh.triangles.push_back({last - (*t)[1], last - (*t)[2], last - (*t)[0]});
    }
    const auto expected = corCenters(c.mesh, c.weights), centers = corCenters(mesh, weights);
    for (std::size_t v = 0; v < n; ++v) EXPECT_LT(length(centers[v] - expected[n - 1 - v]), 1e-10);
}

TEST(Cor, CentersAreTheSameBitsOnAnyThreads) {
    const Character c = branch();
    setThreadCount(1);
    const auto one = corCenters(c.mesh, c.weights);
    setThreadCount(0);
    EXPECT_EQ(corCenters(c.mesh, c.weights), one);
}

/// One triangle with weights (0.1, 0.9) on the joints 0 and 1, and a vertex by itself.
SkinCase lonelyVertex(std::span<const std::uint32_t> joints, std::span<const float> values) {
    SkinCase c;
    c.mesh.positions = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}, {7, 8, 9}};
    c.mesh.triangles = {{0, 1, 2}};
    const std::uint32_t both[] = {0, 1};
    const float mostly_one[] = {0.1f, 0.9f};
    for (int v = 0; v < 3; ++v) appendVertex(c.weights, both, mostly_one);
    appendVertex(c.weights, joints, values);
    return c;
}

TEST(Cor, AVertexThatIsLikeNoTriangleIsItsOwnCenter) {
    const std::uint32_t joints[] = {1, 2};
    const float values[] = {0.5f, 0.5f};
    const SkinCase c = lonelyVertex(joints, values);
    EXPECT_EQ(corCenters(c.mesh, c.weights)[3], Vec3d(7, 8, 9));
}

TEST(Cor, FaintSimilarityIsBetterThanNone) {  // exp(-64), and nothing else
    const std::uint32_t joints[] = {0, 1};
    const float values[] = {0.9f, 0.1f};
    const SkinCase c = lonelyVertex(joints, values);
    EXPECT_LT(length(corCenters(c.mesh, c.weights)[3] - Vec3d(1, 1, 0)), 1e-9);
}

TEST(Cor, RefusesInputThatMakesNoSense) {
    const auto refused = [](const SkinCase& c, const CorOptions& options, ErrorCode code) {
        try {
            corRows(c.mesh, c.weights, options);
        } catch (const Error& error) {
            return error.code() == code;
        }
        return false;
    };
    const std::uint32_t joints[] = {0};
    const float values[] = {1};
    SkinCase c = lonelyVertex(joints, values);
    EXPECT_TRUE(refused(c, {0}, ErrorCode::bad_usage));
    EXPECT_TRUE(refused(c, {NAN}, ErrorCode::bad_usage));
    EXPECT_TRUE(refused(c, {0.1, -1}, ErrorCode::bad_usage));
    c.mesh.triangles[0][1] = 4;
    EXPECT_TRUE(refused(c, {}, ErrorCode::bad_input));
    c.mesh.triangles[0][1] = 1;
    c.mesh.positions.pop_back();
    EXPECT_TRUE(refused(c, {}, ErrorCode::bad_input));
}

}  // namespace
}  // namespace pelt::deform
