// Smoothing operators cut off where they are small.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/local_smoothing.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "test_meshes.h"

namespace pelt::geometry {
namespace {

struct Case {
    Mesh mesh;
    Laplacian laplacian;
    std::vector<std::uint32_t> order;
    std::vector<double> strength;

    Case(std::uint32_t n, LaplacianKind kind, double lambda) : mesh(gridMesh(n)) {
        const auto noise = randomPoints(mesh.vertexCount(), 5);
        for (std::size_t v = 0; v < mesh.vertexCount(); ++v) mesh.positions[v] += noise[v] * (0.4f / float(n));
        laplacian = makeLaplacian(kind, mesh.positions, mesh.triangles);
        order = eliminationOrder(laplacian, mesh.positions);
        for (std::size_t v = 0; v < mesh.vertexCount(); ++v)
            strength.push_back(lambda * (0.5 + 0.5 * std::abs(noise[v].x)));
    }

    /// The operator itself, dense: D (inverse of the step matrix, or the explicit step) to the power of p, times x.
    Eigen::MatrixXd oracle(SmoothingKind kind, const SparseChannels& input, int iterations) const {
        const auto n = Eigen::Index(laplacian.vertexCount());
        Eigen::MatrixXd normalized = Eigen::MatrixXd::Zero(n, n),
                        x = Eigen::MatrixXd::Zero(n, Eigen::Index(input.width));
        for (Eigen::Index v = 0; v < n; ++v) {
            const double d = laplacian.diagonal[std::size_t(v)], k = strength[std::size_t(v)];
            if (d == 0) continue;
            normalized(v, v) = k;
            for (std::size_t e = laplacian.edges.offsets[std::size_t(v)];
                 e < laplacian.edges.offsets[std::size_t(v) + 1]; ++e)
                normalized(v, laplacian.edges.neighbors[e]) = -k * laplacian.weights[e] / d;
        }
        for (std::size_t i = 0; i < input.vertices.size(); ++i)
            for (std::size_t c = 0; c < input.width; ++c)
                x(input.vertices[i], Eigen::Index(c)) = input.values[i * input.width + c];
        const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(n, n);
        for (int i = 0; i < iterations; ++i)
            x = kind == SmoothingKind::implicit ? Eigen::MatrixXd((one + normalized).partialPivLu().solve(x))
                                                : Eigen::MatrixXd((one - normalized) * x);
        return x;
    }
};

/// A patch at a corner of the grid: `width` channels, the last one 1.
SparseChannels patch(std::uint32_t n, std::size_t width) {
    SparseChannels channels{width, {}, {}};
    for (std::uint32_t y = 0; y < 4; ++y)
        for (std::uint32_t x = 0; x < 3; ++x) {
            channels.vertices.push_back(y * (n + 1) + x);
            for (std::size_t c = 0; c + 1 < width; ++c) channels.values.push_back(std::sin(double(x + 3 * y + c)));
            channels.values.push_back(1);
        }
    return channels;
}

double largestDifference(const SparseChannels& result, const Eigen::MatrixXd& expected) {
    Eigen::MatrixXd difference = expected;
    for (std::size_t i = 0; i < result.vertices.size(); ++i)
        for (std::size_t c = 0; c < result.width; ++c)
            difference(result.vertices[i], Eigen::Index(c)) -= result.values[i * result.width + c];
    return difference.cwiseAbs().maxCoeff();
}

TEST(LocalSmoother, WithoutACutoffIsTheOperatorItself) {
    for (const auto laplacian : {LaplacianKind::uniform, LaplacianKind::cotangent})
        for (const auto kind : {SmoothingKind::implicit, SmoothingKind::explicit_})
            for (const std::size_t width : {1u, 4u, 7u, 10u, 13u}) {
                Case c(12, laplacian, kind == SmoothingKind::implicit ? 3 : 1);
                c.strength[1] = c.strength[40] = 0;  // frozen, in and out of the patch
                const SparseChannels input = patch(12, width);
                const auto result = LocalSmoother(c.laplacian, c.order, kind, c.strength).smooth(input, 6, 0);
                EXPECT_LE(largestDifference(result, c.oracle(kind, input, 6)), 1e-12) << width;
            }
}

TEST(LocalSmoother, WeakAndStrongSmoothingAreExactAlike) {  // a polynomial if that is cheap, otherwise a factorization
    for (const double lambda : {0.01, 0.3, 1.0, 3.0, 10.0, 300.0})
        for (const int iterations : {1, 5, 20}) {
            const Case c(12, LaplacianKind::cotangent, lambda);
            const SparseChannels input = patch(12, 10);
            const LocalSmoother smoother(c.laplacian, c.order, SmoothingKind::implicit, c.strength);
            const auto result = smoother.smooth(input, iterations, 0);
            EXPECT_LE(largestDifference(result, c.oracle(SmoothingKind::implicit, input, iterations)), 1e-12)
                << lambda << " " << iterations;
        }
}

TEST(LocalSmoother, AnOrderFromPositionsGivesTheSameOperator) {
    for (const double lambda : {3.0, 300.0}) {
        Case c(20, LaplacianKind::cotangent, lambda);
        c.order = eliminationOrder(c.laplacian, c.mesh.positions);
        c.strength[60] = c.strength[200] = 0;
        const SparseChannels input = patch(20, 10);
        const LocalSmoother smoother(c.laplacian, c.order, SmoothingKind::implicit, c.strength, 1e-16,
                                     c.mesh.positions);
        const Eigen::MatrixXd expected = c.oracle(SmoothingKind::implicit, input, 8);
        EXPECT_LE(largestDifference(smoother.smooth(input, 8, 0), expected), 1e-12) << lambda;
        EXPECT_LE(largestDifference(smoother.smooth(input, 8, 1e-6), expected), 5e-6) << lambda;
    }
}

/// A part of the mesh that uses the factorization of the whole: values it leaves out are below the cutoff.
TEST(LocalSmoother, AWideFunctionIsCutWhereItEnds) {
    Case c(60, LaplacianKind::cotangent, 8);
    c.order = eliminationOrder(c.laplacian, c.mesh.positions);
    const SparseChannels input = patch(60, 4);
    const LocalSmoother smoother(c.laplacian, c.order, SmoothingKind::implicit, c.strength, 1e-16, c.mesh.positions);
    const auto whole = smoother.smooth(input, 10, 0), part = smoother.smooth(input, 10, 1e-7);
    EXPECT_LT(part.vertices.size(), whole.vertices.size() / 2);
    EXPECT_GT(part.vertices.size(), whole.vertices.size() / 8);
    std::size_t i = 0;
    for (std::size_t k = 0; k < whole.vertices.size(); ++k) {
        const bool in = i < part.vertices.size() && part.vertices[i] == whole.vertices[k];
        for (std::size_t n = 0; n < 4; ++n)
            ASSERT_NEAR(in ? part.values[4 * i + n] : 0, whole.values[4 * k + n], 5e-7) << whole.vertices[k];
        i += in;
    }
}

TEST(EliminationOrder, FromPositionsHoldsEveryVertexOnce) {
    for (const bool together : {false, true}) {
        Mesh mesh = gridMesh(90);
        const auto laplacian = makeLaplacian(LaplacianKind::uniform, mesh.positions, mesh.triangles);
        if (together) mesh.positions.assign(mesh.vertexCount(), {1, 2, 3});
        std::vector<std::uint32_t> order = eliminationOrder(laplacian, mesh.positions);
        setThreadCount(1);
        EXPECT_EQ(eliminationOrder(laplacian, mesh.positions), order);
        setThreadCount(0);
        std::sort(order.begin(), order.end());
        ASSERT_EQ(order.size(), mesh.vertexCount());
        for (std::uint32_t v = 0; v < order.size(); ++v) ASSERT_EQ(order[v], v);
    }
}

TEST(LocalSmoother, ACutoffLeavesOutWhatIsUnderItAndLittleElse) {
    for (const auto kind : {SmoothingKind::implicit, SmoothingKind::explicit_})
        for (const double lambda : {0.05, 1.0, 20.0}) {
            if (kind == SmoothingKind::explicit_ && lambda > 1) continue;
            const Case c(25, LaplacianKind::uniform, lambda);
            const SparseChannels input = patch(25, 2);
            const LocalSmoother smoother(c.laplacian, c.order, kind, c.strength);
            const auto whole = smoother.smooth(input, 5, 0), part = smoother.smooth(input, 5, 1e-6);
            EXPECT_LE(largestDifference(part, c.oracle(kind, input, 5)), 5e-6) << lambda;
            if (lambda < 1) {
                EXPECT_LT(part.vertices.size(), whole.vertices.size());
            }
            for (std::size_t i = 0; i < part.vertices.size(); ++i) EXPECT_GT(part.values[2 * i + 1], 1e-6);
        }
}

TEST(LocalSmoother, AnIsolatedVertexKeepsItsValues) {
    Case c(6, LaplacianKind::uniform, 2);
    c.mesh.positions.push_back({5, 5, 5});
    c.laplacian = makeLaplacian(LaplacianKind::uniform, c.mesh.positions, c.mesh.triangles);
    c.order = eliminationOrder(c.laplacian, c.mesh.positions);
    c.strength.push_back(2);
    const std::uint32_t alone = std::uint32_t(c.mesh.vertexCount() - 1);
    const LocalSmoother smoother(c.laplacian, c.order, SmoothingKind::implicit, c.strength);
    const auto result = smoother.smooth({2, {alone}, {7, 0.5}}, 3, 1e-9);
    EXPECT_EQ(result.vertices, std::vector<std::uint32_t>{alone});
    EXPECT_EQ(result.values, (std::vector<double>{7, 0.5}));
}

TEST(LocalSmoother, RefusesStrengthsThatAreNone) {
    Case c(4, LaplacianKind::uniform, 1);
    c.strength[3] = -1;
    EXPECT_THROW(LocalSmoother(c.laplacian, c.order, SmoothingKind::implicit, c.strength), Error);
    c.strength[3] = 1.5;
    EXPECT_NO_THROW(LocalSmoother(c.laplacian, c.order, SmoothingKind::implicit, c.strength));
    EXPECT_THROW(LocalSmoother(c.laplacian, c.order, SmoothingKind::explicit_, c.strength), Error);
}

}  // namespace
}  // namespace pelt::geometry
