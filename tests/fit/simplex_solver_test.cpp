// Least squares with weights that are convex.
#include "fit/decompose/simplex_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pelt::fit::ssdr {
namespace {

/// Bones at random and a vertex that follows some of them, with noise.
struct SimplexCase {
    Motions motions;
    Vec3d p{0.3, -0.2, 0.5};
    std::vector<double> v, projected;
    double squared = 0;

    SimplexCase(std::size_t bones, std::size_t frames, double noise, unsigned seed) : motions(bones, frames) {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        for (double& x : motions.m) x += 0.6 * normal(random);
        std::vector<double> w(bones);
        for (std::size_t j = 0; j < bones; ++j) w[j] = j % 2 == 0 ? 1.0 / double(j + 2) : 0;
        double sum = 0;
        for (const double x : w) sum += x;
        projected.assign(4 * bones, 0.0);
        for (std::size_t d = 0; d < 3 * frames; ++d) {
            double x = noise * normal(random);
            for (std::size_t j = 0; j < bones; ++j) x += w[j] / sum * moved(j, d);
            v.push_back(x);
            squared += x * x;
            for (std::size_t c = 0; c < projected.size(); ++c) projected[c] += x * motions.m[d * motions.columns() + c];
        }
    }

    double moved(std::size_t bone, std::size_t d) const {
        const double* m = motions.m.data() + d * motions.columns() + 4 * bone;
        return m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3];
    }

    /// The residual of weights, from the definition.
    double error(std::span<const std::uint32_t> bones, std::span<const double> values) const {
        double total = 0;
        for (std::size_t d = 0; d < v.size(); ++d) {
            double x = -v[d];
            for (std::size_t i = 0; i < bones.size(); ++i) x += values[i] * moved(bones[i], d);
            total += x * x;
        }
        return total;
    }

    /// The best convex weights on some bones by pairwise exchange until the error no longer decreases: slow but
    /// obviously correct.
    double bestOn(const std::vector<std::uint32_t>& bones) const {
        std::vector<double> x(bones.size(), 1.0 / double(bones.size()));
        for (int round = 0; round < 4000; ++round) {
            double most = 0;
            for (std::size_t a = 0; a < bones.size(); ++a)
                for (std::size_t b = 0; b < a; ++b) {
                    double along = 0, length = 0;  // of the residual on d = bone a - bone b
                    for (std::size_t k = 0; k < v.size(); ++k) {
                        double r = -v[k];
                        for (std::size_t i = 0; i < bones.size(); ++i) r += x[i] * moved(bones[i], k);
                        const double d = moved(bones[a], k) - moved(bones[b], k);
                        along += r * d;
                        length += d * d;
                    }
                    const double step = std::clamp(-along / length, -x[a], x[b]);
                    x[a] += step;
                    x[b] -= step;
                    most = std::max(most, std::abs(step));
                }
            if (most < 1e-13) break;
        }
        return error(bones, x);
    }
};

void expectConvex(const SimplexSolver::Weights& w, std::size_t influences) {
    double sum = 0;
    for (const double x : w.values) {
        EXPECT_GT(x, 0);
        sum += x;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_LE(w.bones.size(), influences);
    EXPECT_TRUE(std::is_sorted(w.bones.begin(), w.bones.end()));
}

TEST(SimplexSolver, FindsTheBestConvexWeights) {
    for (const double noise : {0.0, 0.1, 1.0})
        for (unsigned seed = 1; seed <= 6; ++seed) {
            const SimplexCase c(7, 6, noise, seed);
            const BoneProducts products = productsOf(c.motions);
            SimplexSolver solver(products);
            solver.setVertex(c.p, c.projected.data(), c.squared);
            SimplexSolver::Weights found;
            solver.solve({}, 0, found);
            expectConvex(found, 7);
            EXPECT_NEAR(found.error, c.error(found.bones, found.values), 1e-9 * c.squared);
            EXPECT_NEAR(found.error, c.bestOn({0, 1, 2, 3, 4, 5, 6}), 1e-5 * c.squared) << noise << " " << seed;
        }
}

TEST(SimplexSolver, WithFewBonesIsCloseToTheBestOfAllChoices) {
    double ours = 0, best = 0;
    for (unsigned seed = 1; seed <= 12; ++seed) {
        const SimplexCase c(6, 5, 0.5, seed);
        const BoneProducts products = productsOf(c.motions);
        SimplexSolver solver(products);
        solver.setVertex(c.p, c.projected.data(), c.squared);
        SimplexSolver::Weights found;
        solver.solve({}, 2, found);
        expectConvex(found, 2);
        ours += c.error(found.bones, found.values);
        double least = c.squared;
        for (std::uint32_t a = 0; a < 6; ++a)
            for (std::uint32_t b = 0; b < a; ++b) least = std::min(least, c.bestOn({a, b}));
        best += least;
        EXPECT_GE(found.error, least * (1 - 1e-6));
    }
    EXPECT_LE(ours, 1.03 * best);
}

TEST(SimplexSolver, IsNeverWorseThanTheBonesItStartedFrom) {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        const SimplexCase c(8, 4, 1.0, seed);
        const BoneProducts products = productsOf(c.motions);
        SimplexSolver solver(products);
        solver.setVertex(c.p, c.projected.data(), c.squared);
        for (const std::uint32_t a : {0u, 3u, 6u}) {
            const SimplexSolver::Weights start{{a, a + 1}, {0.25, 0.75}, 0};
            SimplexSolver::Weights found, same;
            solver.solve(start, 2, found);
            solver.resolve(start, same);
            EXPECT_LE(found.error, same.error * (1 + 1e-9));
            EXPECT_LE(same.error, c.error(start.bones, start.values) * (1 + 1e-9));
            EXPECT_NEAR(same.error, c.bestOn({a, a + 1}), 1e-6 * c.squared);
        }
    }
}

TEST(SimplexSolver, BonesThatMoveAVertexAlikeDoNotBreakIt) {
    SimplexCase c(5, 4, 0.2, 3);
    for (std::size_t d = 0; d < 12; ++d)
        for (std::size_t k = 0; k < 4; ++k) {
            double* row = c.motions.m.data() + d * c.motions.columns();
            row[4 * 3 + k] = row[4 * 1 + k];  // bone 3 is bone 1
        }
    c.projected.assign(20, 0.0);
    for (std::size_t d = 0; d < 12; ++d)
        for (std::size_t k = 0; k < 20; ++k) c.projected[k] += c.v[d] * c.motions.m[d * 20 + k];
    const BoneProducts products = productsOf(c.motions);
    SimplexSolver solver(products);
    solver.setVertex(c.p, c.projected.data(), c.squared);
    const SimplexSolver::Weights start{{1, 3}, {0.5, 0.5}, 0};
    SimplexSolver::Weights found;
    for (const std::size_t influences : {0u, 2u, 4u}) {
        solver.solve(start, influences, found);
        expectConvex(found, 5);
        EXPECT_TRUE(std::isfinite(found.error));
    }
}

TEST(SimplexSolver, AWeightIsUnderTheLeastOnlyWhereGoingWithoutCostsAHundredth) {
    std::size_t left_out = 0;
    for (unsigned seed = 1; seed <= 60; ++seed) {
        const SimplexCase c(6, 5, 0.5, seed);
        const BoneProducts products = productsOf(c.motions);
        SimplexSolver solver(products, 0.1), all(products);
        solver.setVertex(c.p, c.projected.data(), c.squared);
        all.setVertex(c.p, c.projected.data(), c.squared);
        SimplexSolver::Weights found, best;
        solver.solve({}, 0, found);
        all.solve({}, 0, best);
        expectConvex(found, 6);
        EXPECT_LE(found.error, 1.01 * best.error + 1e-9 * c.squared);
        left_out += best.bones.size() - found.bones.size();
        std::vector<std::uint32_t> large;
        for (std::size_t i = 0; i < found.bones.size(); ++i)
            if (found.values[i] >= 0.1) large.push_back(found.bones[i]);
        if (large.size() < found.bones.size()) {
            EXPECT_GT(c.bestOn(large), 1.01 * best.error);
        }
    }
    EXPECT_GT(left_out, 0u);
}

/// Weights of all bones, 0 where they have none.
std::vector<double> everyWeight(const SimplexSolver::Weights& found, std::size_t bones) {
    std::vector<double> dense(bones, 0.0);
    for (std::size_t i = 0; i < found.bones.size(); ++i) dense[found.bones[i]] = found.values[i];
    return dense;
}

TEST(SimplexSolver, ACostLeavesThePriorWhereTheSamplesSayNothing) {
    SimplexCase c(5, 4, 0.3, 4);
    for (std::size_t d = 0; d < 12; ++d)  // all bones are the first
        for (std::size_t k = 4; k < 20; ++k) c.motions.m[d * 20 + k] = c.motions.m[d * 20 + k % 4];
    c.projected.assign(20, 0.0);
    for (std::size_t d = 0; d < 12; ++d)
        for (std::size_t k = 0; k < 20; ++k) c.projected[k] += c.v[d] * c.motions.m[d * 20 + k];
    const BoneProducts products = productsOf(c.motions);
    SimplexSolver solver(products);
    solver.setVertex(c.p, c.projected.data(), c.squared);
    const std::vector<double> prior = {1, 4, 0, 3, 2};  // of any sum
    solver.addCost(0.5, prior);
    SimplexSolver::Weights found;
    solver.solve({}, 0, found);
    const std::vector<double> weights = everyWeight(found, 5);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(weights[j], prior[j] / 10, 1e-9) << j;
}

TEST(SimplexSolver, ACostKeepsOutBonesWithoutAPriorAndLeadsToIt) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        const SimplexCase c(6, 5, 0.5, seed);
        const BoneProducts products = productsOf(c.motions);
        SimplexSolver solver(products);
        const std::vector<double> prior = {0, 0.1, 0.2, 0, 0.3, 0.4};  // the vertex follows 0, 2 and 4
        double before = 10;
        for (const double cost : {1e-9, 1.0, 30.0, 1e6}) {
            solver.setVertex(c.p, c.projected.data(), c.squared);
            solver.addCost(cost, prior);
            SimplexSolver::Weights found;
            solver.solve({}, 0, found);
            expectConvex(found, 4);
            const std::vector<double> weights = everyWeight(found, 6);
            EXPECT_EQ(weights[0], 0);
            EXPECT_EQ(weights[3], 0);
            double away = 0;
            for (const std::size_t j : {1, 2, 4, 5})
                away += (weights[j] - prior[j]) * (weights[j] - prior[j]) / prior[j];
            EXPECT_LE(away, before + 1e-9);
            before = away;
            if (cost < 1e-6) {
                EXPECT_NEAR(c.error(found.bones, found.values), c.bestOn({1, 2, 4, 5}), 1e-5 * c.squared);
            }
        }
        EXPECT_LT(before, 1e-6);
    }
}

}  // namespace
}  // namespace pelt::fit::ssdr
