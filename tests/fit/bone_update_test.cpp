// The step of a decomposition that moves bones.
#include "fit/decompose/bone_update.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "deform/instruction_sets.h"
#include "fit/decompose/ssdr_kernel.h"

namespace pelt::fit::ssdr {
namespace {

/// Vertices, frames and weights at random; some bones share vertices, the last has none.
struct Case {
    static constexpr std::size_t kBones = 5;
    Trajectories data;
    VertexWeights weights;

    explicit Case(unsigned seed, std::size_t vertices = 60, std::size_t frames = 4) {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        std::uniform_real_distribution<double> uniform(0.1, 1);
        data.vertices = vertices;
        data.frames = frames;
        for (std::size_t v = 0; v < vertices; ++v) {
            data.rest.emplace_back(normal(random), normal(random), normal(random));
            double squared = 0;
            for (std::size_t d = 0; d < data.dimensions(); ++d) {
                data.values.push_back(float(data.rest[v][int(d % 3)] + 0.7 * normal(random)));
                squared += double(data.values.back()) * double(data.values.back());
            }
            data.squared.push_back(squared);
            const auto first = std::uint32_t(v % (kBones - 2));
            const double w = uniform(random);
            weights.push_back({{first, first + 1}, {w, 1 - w}, 0});
        }
    }

    /// The squared error from the definition, [LeDeng12] Eq. 2a.
    double error(const Motions& motions) const {
        double total = 0;
        for (std::size_t v = 0; v < data.vertices; ++v)
            for (std::size_t t = 0; t < data.frames; ++t) {
                Vec3d x;
                for (std::size_t i = 0; i < weights[v].bones.size(); ++i)
                    x += motions.get(t, weights[v].bones[i]) * data.rest[v] * weights[v].values[i];
                for (int a = 0; a < 3; ++a) x[a] -= double(data.of(v)[3 * t + std::size_t(a)]);
                total += dot(x, x);
            }
        return total;
    }

    /// One bone of one frame by Eqs. 6–10 literally, vertex by vertex, with a singular value decomposition.
    void updateLiterally(std::size_t t, std::size_t bone, Motions& motions) const {
        struct Target {
            Eigen::Vector3d p, q;
            double w;
        };
        std::vector<Target> targets;
        double sum = 0;
        Eigen::Vector3d p_star = Eigen::Vector3d::Zero(), q_star = p_star;
        for (std::size_t v = 0; v < data.vertices; ++v) {
            Target target{{data.rest[v].x, data.rest[v].y, data.rest[v].z}, {}, 0};
            for (int a = 0; a < 3; ++a) target.q[a] = double(data.of(v)[3 * t + std::size_t(a)]);
            for (std::size_t i = 0; i < weights[v].bones.size(); ++i) {
                if (weights[v].bones[i] == bone) {
                    target.w = weights[v].values[i];
                    continue;
                }
                const Vec3d other = motions.get(t, weights[v].bones[i]) * data.rest[v] * weights[v].values[i];
                target.q -= Eigen::Vector3d(other.x, other.y, other.z);  // Eq. 6
            }
            sum += target.w * target.w;
            p_star += target.w * target.w * target.p;
            q_star += target.w * target.q;
            targets.push_back(target);
        }
        p_star /= sum;  // Eq. 8b
        q_star /= sum;
        Eigen::Matrix3d product = Eigen::Matrix3d::Zero();
        for (const Target& target : targets)
            product += target.w * (target.p - p_star) * (target.q - target.w * q_star).transpose();  // Eq. 9
        const Eigen::JacobiSVD<Eigen::Matrix3d> svd(product, Eigen::ComputeFullU | Eigen::ComputeFullV);
        Eigen::Vector3d sign(1, 1, (svd.matrixV() * svd.matrixU().transpose()).determinant());
        const Eigen::Matrix3d r = svd.matrixV() * sign.asDiagonal() * svd.matrixU().transpose();  // Eq. 10
        const Eigen::Vector3d translation = q_star - r * p_star;
        Mat3d linear;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) linear(a, b) = r(a, b);
        motions.set(t, bone, Affine3d(linear, Vec3d(translation.x(), translation.y(), translation.z())));
    }
};

TEST(BoneUpdate, SettlesWhereTheClosedFormOfThePaperMovesNothing) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
        const Case c(seed);
        Motions motions(Case::kBones, c.data.frames);
        const double before = c.error(motions);
        const VertexSums sums = sumVertices(c.data, tieEdges(c.data, {}), c.weights, Case::kBones);
        const double after = updateBones(sums, BoneKind::rigid, 0, 1e-6, motions);
        EXPECT_LT(after, before);
        EXPECT_NEAR(after, c.error(motions), 1e-9 * before);
        for (std::size_t t = 0; t < c.data.frames; ++t)
            for (std::size_t j = 0; j + 1 < Case::kBones; ++j) {
                Motions literal = motions;
                c.updateLiterally(t, j, literal);
                EXPECT_NEAR(c.error(literal), after, 1e-3 * after) << t << " " << j;
                EXPECT_LE(after, c.error(literal) * 1.001);
            }
    }
}

TEST(BoneUpdate, TheFirstUpdateOfABoneIsTheClosedForm) {
    Case c(11, 40, 2);
    for (auto& w : c.weights) w = {{0}, {1.0}, 0};  // one bone: one update is all there is
    Motions ours(1, 2), literal(1, 2);
    updateBones(sumVertices(c.data, tieEdges(c.data, {}), c.weights, 1), BoneKind::rigid, 0, 1e-6, ours);
    for (std::size_t t = 0; t < 2; ++t) {
        c.updateLiterally(t, 0, literal);
        for (int k = 0; k < 16; ++k) EXPECT_NEAR(ours.get(t, 0).m[k], literal.get(t, 0).m[k], 1e-9);
    }
}

TEST(BoneUpdate, FlexibleBonesAreTheLeastSquares) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
        const Case c(seed);
        Motions motions(Case::kBones, c.data.frames);
        const VertexSums sums = sumVertices(c.data, tieEdges(c.data, {}), c.weights, Case::kBones);
        const double after = updateBones(sums, BoneKind::flexible, 0, 1e-6, motions);
        EXPECT_NEAR(after, c.error(motions), 1e-9 * after);
        Motions rigid(Case::kBones, c.data.frames);
        EXPECT_LT(after, updateBones(sums, BoneKind::rigid, 0, 1e-6, rigid));
        // Stationary: changing any parameter in either direction increases the error.
        for (std::size_t i = 0; i < motions.m.size(); i += 7) {
            if (i % motions.columns() >= 4 * (Case::kBones - 1)) continue;
            for (const double step : {1e-3, -1e-3}) {
                Motions moved = motions;
                moved.m[i] += step;
                EXPECT_GE(c.error(moved), after * (1 - 1e-12));
            }
        }
    }
}

TEST(BoneUpdate, KeptBonesAndThoseWithoutVerticesStay) {
    const Case c(2);
    Motions motions(Case::kBones, c.data.frames);
    updateBones(sumVertices(c.data, tieEdges(c.data, {}), c.weights, Case::kBones), BoneKind::rigid, 2, 1e-6, motions);
    for (std::size_t t = 0; t < c.data.frames; ++t)
        for (const std::size_t j : {std::size_t(0), std::size_t(1), Case::kBones - 1})
            for (int k = 0; k < 16; ++k) EXPECT_EQ(motions.get(t, j).m[k], Affine3d().m[k]);
}

void expectProductsOfPlainLoops() {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    for (const std::size_t count : {1u, 3u, 4u, 9u})
        for (const std::size_t dimensions : {1u, 3u, 17u, 48u})
            for (const std::size_t columns : {4u, 12u, 20u, 36u, 80u}) {
                std::vector<float> v(count * dimensions);
                std::vector<double> m(dimensions * columns), out(count * columns + 1, -7), sum(4 * dimensions, 0.5);
                for (float& x : v) x = float(normal(random));
                for (double& x : m) x = normal(random);
                multiplyRows(v.data(), count, dimensions, m.data(), columns, out.data());
                for (std::size_t i = 0; i < count; ++i)
                    for (std::size_t c = 0; c < columns; ++c) {
                        double expected = 0;
                        for (std::size_t d = 0; d < dimensions; ++d)
                            expected += double(v[i * dimensions + d]) * m[d * columns + c];
                        ASSERT_NEAR(out[i * columns + c], expected, 1e-12);
                    }
                EXPECT_EQ(out.back(), -7);
                const double factor[4] = {1, -2, 0.5, 3};
                addOuter(v.data(), dimensions, factor, sum.data());
                for (std::size_t c = 0; c < 4; ++c)
                    for (std::size_t d = 0; d < dimensions; ++d)
                        ASSERT_NEAR(sum[c * dimensions + d], 0.5 + factor[c] * double(v[d]), 1e-12);
            }
}

TEST(SsdrKernel, EveryInstructionSetAgreesWithPlainLoopsAtAwkwardSizes) {
    deform::onEachInstructionSet([](std::int64_t) { expectProductsOfPlainLoops(); });
}

}  // namespace
}  // namespace pelt::fit::ssdr
