// Coarse levels of wide smoothing.
#include <gtest/gtest.h>
#include <pelt/geometry/coarse_level.h>
#include <pelt/geometry/local_smoothing.h>
#include <pelt/geometry/normals.h>

#include <cmath>

#include "test_meshes.h"

// Wide smoothing on patches gives the same result as on the vertices.

namespace pelt::geometry {
namespace {

/// A grid bent around a cylinder of radius 1/2 by 270°, with triangles of uneven sizes.
Mesh bentGrid(std::uint32_t n) {
    Mesh mesh = gridMesh(n);
    for (Vec3f& p : mesh.positions) {
        const double x = p.x + 0.03 * std::sin(25 * p.x), y = p.y + 0.02 * std::sin(20 * p.y + 3 * p.x);
        p = Vec3f(Vec3d{0.5 * std::sin(4.7 * x), y, 0.5 * std::cos(4.7 * x)});
    }
    return mesh;
}

struct Level {
    Mesh mesh;
    Laplacian laplacian;
    std::vector<double> strength;
    CoarseLevel coarse;
};

constexpr int kSteps = 10;

/// Smoothing by a standard deviation of `width` that varies by a half over the surface.
Level makeLevel(std::uint32_t n, double width) {
    Level level;
    level.mesh = bentGrid(n);
    const Mesh& mesh = level.mesh;
    level.laplacian = makeLaplacian(LaplacianKind::cotangent, mesh.positions, mesh.triangles);
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
        double sum = 0;
        for (std::size_t e = level.laplacian.edges.offsets[v]; e < level.laplacian.edges.offsets[v + 1]; ++e) {
            const Vec3d d = Vec3d(mesh.positions[level.laplacian.edges.neighbors[e]]) - Vec3d(mesh.positions[v]);
            sum += level.laplacian.weights[e] * dot(d, d);
        }
        const double sigma = width * (1 + 0.5 * mesh.positions[v].y);
        level.strength.push_back(2 * sigma * sigma * level.laplacian.diagonal[v] / (kSteps * sum));
    }
    const auto normals = angleWeightedNormals(mesh.positions, mesh.triangles, weldByPosition(mesh));
    auto made = makeCoarseLevel(level.laplacian, {}, mesh.positions, normals, level.strength, kSteps);
    if (made) level.coarse = std::move(*made);
    return level;
}

TEST(CoarseLevel, WeightsAreAPartitionOfUnity) {
    const Level level = makeLevel(120, 0.1);
    ASSERT_GT(level.coarse.nodeCount(), 100u);
    EXPECT_LT(level.coarse.nodeCount() * 3, level.mesh.vertexCount());
    const Interpolation& between = level.coarse.between;
    for (std::size_t v = 0; v < level.mesh.vertexCount(); ++v) {
        double sum = 0;
        for (std::size_t k = between.offsets[v]; k < between.offsets[v + 1]; ++k) {
            EXPECT_GE(between.weights[k], 0);
            sum += between.weights[k];
        }
        ASSERT_NEAR(sum, 1, 1e-12);
    }
}

TEST(CoarseLevel, SmoothsAStepAsTheMeshDoes) {
    const Level level = makeLevel(160, 0.1);
    ASSERT_GT(level.coarse.nodeCount(), 0u);
    SparseChannels fine{1, {}, {}}, coarse{1, {}, {}};
    std::vector<double> mass(level.coarse.nodeCount(), 0), mean(level.coarse.nodeCount(), 0);
    for (std::uint32_t v = 0; v < level.mesh.vertexCount(); ++v) {
        const bool in = level.mesh.positions[v].y + 0.3f * level.mesh.positions[v].x > 0.5f;
        mass[level.coarse.node_of[v]] += level.coarse.mass[v];
        if (!in) continue;
        fine.vertices.push_back(v);
        fine.values.push_back(1);
        mean[level.coarse.node_of[v]] += level.coarse.mass[v];
    }
    for (std::uint32_t n = 0; n < mean.size(); ++n) {
        if (mean[n] == 0) continue;
        coarse.vertices.push_back(n);
        coarse.values.push_back(mean[n] / mass[n]);
    }
    const auto smooth = [](const Laplacian& laplacian, std::span<const Vec3f> positions,
                           std::span<const double> strength, const SparseChannels& input) {
        const auto order = eliminationOrder(laplacian, positions);
        const SparseChannels result =
            LocalSmoother(laplacian, order, SmoothingKind::implicit, strength).smooth(input, kSteps, 0);
        std::vector<double> values(laplacian.vertexCount(), 0);
        for (std::size_t i = 0; i < result.vertices.size(); ++i) values[result.vertices[i]] = result.values[i];
        return values;
    };
    const std::vector<double> exact = smooth(level.laplacian, level.mesh.positions, level.strength, fine);
    const std::vector<double> nodes =
        smooth(level.coarse.laplacian, level.coarse.positions, level.coarse.strength, coarse);
    const Interpolation& between = level.coarse.between;
    double worst = 0, squares = 0;
    for (std::size_t v = 0; v < exact.size(); ++v) {
        double value = 0;
        for (std::size_t k = between.offsets[v]; k < between.offsets[v + 1]; ++k)
            value += between.weights[k] * nodes[between.nodes[k]];
        worst = std::max(worst, std::abs(value - exact[v]));
        squares += (value - exact[v]) * (value - exact[v]);
    }
    EXPECT_LT(worst, 1.5e-2);
    EXPECT_LT(std::sqrt(squares / double(exact.size())), 3e-3);
}

TEST(CoarseLevel, IsNotMadeForNarrowSmoothing) { EXPECT_EQ(makeLevel(60, 0.02).coarse.nodeCount(), 0u); }

TEST(CoarseLevel, LeavesFrozenVerticesAlone) {
    Level level = makeLevel(120, 0.1);
    for (std::uint32_t v = 0; v < 500; ++v) level.strength[v] = 0;
    const auto normals = angleWeightedNormals(level.mesh.positions, level.mesh.triangles, weldByPosition(level.mesh));
    const auto made = makeCoarseLevel(level.laplacian, {}, level.mesh.positions, normals, level.strength, kSteps);
    ASSERT_TRUE(made);
    for (std::uint32_t v = 0; v < 500; ++v) {
        ASSERT_EQ(made->between.offsets[v + 1] - made->between.offsets[v], 1u);
        EXPECT_EQ(made->between.nodes[made->between.offsets[v]], made->node_of[v]);
        EXPECT_EQ(made->strength[made->node_of[v]], 0);
    }
}

}  // namespace
}  // namespace pelt::geometry
