// Laplacians, and smoothing with them.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/smoothing.h>

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>

#include "test_meshes.h"

namespace pelt::geometry {
namespace {

Mesh bumpyGrid(std::uint32_t n) {
    Mesh mesh = gridMesh(n);
    const auto noise = randomPoints(mesh.vertexCount(), 5);
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) mesh.positions[v] += noise[v] * (0.4f / float(n));
    return mesh;
}

Eigen::MatrixXd dense(const Laplacian& l) {
    const auto n = Eigen::Index(l.vertexCount());
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index v = 0; v < n; ++v) {
        m(v, v) = l.diagonal[std::size_t(v)];
        for (std::size_t e = l.edges.offsets[std::size_t(v)]; e < l.edges.offsets[std::size_t(v) + 1]; ++e) {
            m(v, l.edges.neighbors[e]) = -l.weights[e];
        }
    }
    return m;
}

TEST(Laplacian, IsSymmetricWithZeroRowSumsAndNoNegativeWeight) {
    const Mesh mesh = bumpyGrid(9);
    for (const auto kind : {LaplacianKind::uniform, LaplacianKind::cotangent}) {
        const Laplacian laplacian = makeLaplacian(kind, mesh.positions, mesh.triangles);
        const Eigen::MatrixXd m = dense(laplacian);
        EXPECT_EQ(m, m.transpose());
        EXPECT_LE(m.rowwise().sum().cwiseAbs().maxCoeff(), 1e-12);
        EXPECT_GE(*std::min_element(laplacian.weights.begin(), laplacian.weights.end()), 0);
        EXPECT_GE(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(m).eigenvalues().minCoeff(), -1e-12);
    }
}

TEST(Laplacian, CotangentsOfASquareAreKnown) {
    const Mesh mesh = gridMesh(1);  // two right-angled triangles over a square, diagonal 0-3
    const Eigen::MatrixXd m = dense(makeLaplacian(LaplacianKind::cotangent, mesh.positions, mesh.triangles));
    EXPECT_NEAR(m(0, 1), -0.5, 1e-15);
    EXPECT_NEAR(m(0, 3), 0, 1e-15);
    EXPECT_NEAR(m(0, 0), 1, 1e-15);
}

TEST(Laplacian, ClampsAnEdgeWhoseAnglesAreObtuse) {
    const std::vector<Vec3f> positions{{-1, 0, 0}, {1, 0, 0}, {0, 0.1f, 0}, {0, -0.1f, 0}};
    const std::vector<Triangle> triangles{{0, 1, 2}, {1, 0, 3}};
    const Eigen::MatrixXd m = dense(makeLaplacian(LaplacianKind::cotangent, positions, triangles));
    EXPECT_EQ(m(0, 1), 0);
    EXPECT_LT(m(0, 2), 0);
}

TEST(Laplacian, BadFacesStayFinite) {
    const std::vector<Vec3f> positions{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {7, 7, 7}};
    const std::vector<Triangle> triangles{{0, 1, 2}, {0, 0, 1}, {0, 1, 3}, {0, 1, 3}, {1, 0, 3}, {3, 3, 3}};
    for (const auto kind : {LaplacianKind::uniform, LaplacianKind::cotangent}) {
        const Laplacian laplacian = makeLaplacian(kind, positions, triangles);
        for (const double w : laplacian.weights) EXPECT_TRUE(std::isfinite(w) && w >= 0);
        EXPECT_EQ(laplacian.diagonal[4], 0);
        std::vector<double> x{0, 1, 2, 3, 42};
        ImplicitSmoother(laplacian, positions, 3).smooth(x, 2);
        EXPECT_EQ(x[4], 42);
        for (int v = 0; v < 4; ++v) EXPECT_TRUE(x[v] >= 0 && x[v] <= 3);
    }
}

TEST(ImplicitSmoother, SolvesTheSystemOfTheDefinition) {
    const Mesh mesh = bumpyGrid(8);
    const std::size_t n = mesh.vertexCount();
    const Laplacian laplacian = makeLaplacian(LaplacianKind::cotangent, mesh.positions, mesh.triangles);
    std::vector<double> map(n), x(n);
    for (std::size_t v = 0; v < n; ++v) {
        map[v] = v % 7 == 0 ? 0.0 : 0.1 + double(v % 5);  // every seventh is frozen
        x[v] = mesh.positions[v].z + double(v % 3);
    }
    const double lambda = 2.5;
    Eigen::MatrixXd system = dense(laplacian);
    for (std::size_t v = 0; v < n; ++v) system.row(Eigen::Index(v)) *= lambda * map[v] / laplacian.diagonal[v];
    system += Eigen::MatrixXd::Identity(Eigen::Index(n), Eigen::Index(n));
    Eigen::VectorXd expected = Eigen::Map<Eigen::VectorXd>(x.data(), Eigen::Index(n));
    for (int i = 0; i < 3; ++i) expected = system.partialPivLu().solve(expected).eval();

    const std::vector<double> before = x;
    ImplicitSmoother(laplacian, mesh.positions, lambda, map).smooth(x, 3);
    for (std::size_t v = 0; v < n; ++v) {
        EXPECT_NEAR(x[v], expected[Eigen::Index(v)], 1e-11);
        if (map[v] == 0) {
            EXPECT_EQ(x[v], before[v]);
        }
    }
}

TEST(ImplicitSmoother, KeepsConstantsAndTheRangeOfItsInput) {
    const Mesh mesh = bumpyGrid(12);
    const std::size_t n = mesh.vertexCount();
    const ImplicitSmoother smoother(makeLaplacian(LaplacianKind::cotangent, mesh.positions, mesh.triangles),
                                    mesh.positions, 40);
    std::vector<double> columns(2 * n, 1.0);
    for (std::size_t v = 0; v < n; ++v) columns[n + v] = v < n / 2 ? 0 : 1;
    smoother.smooth(columns, 4);
    for (std::size_t v = 0; v < n; ++v) {
        EXPECT_NEAR(columns[v], 1, 1e-12);
        EXPECT_GE(columns[n + v], -1e-14);
        EXPECT_LE(columns[n + v], 1 + 1e-14);
    }
    EXPECT_GT(columns[n], 0.001);
}

TEST(ImplicitSmoother, RenumberingChangesNothing) {
    const Mesh mesh = bumpyGrid(10);
    const auto n = static_cast<std::uint32_t>(mesh.vertexCount());
    std::vector<std::uint32_t> to(n);
    std::iota(to.begin(), to.end(), 0u);
    std::shuffle(to.begin(), to.end(), std::mt19937(3));
    Mesh other = mesh;
    std::vector<double> x(n), y(n);
    for (std::uint32_t v = 0; v < n; ++v) {
        x[v] = std::sin(double(v));
        other.positions[to[v]] = mesh.positions[v];
        y[to[v]] = x[v];
    }
    for (Triangle& t : other.triangles) t = {to[t[0]], to[t[1]], to[t[2]]};
    ImplicitSmoother(makeLaplacian(LaplacianKind::cotangent, mesh.positions, mesh.triangles), mesh.positions, 5)
        .smooth(x, 3);
    ImplicitSmoother(makeLaplacian(LaplacianKind::cotangent, other.positions, other.triangles), other.positions, 5)
        .smooth(y, 3);
    for (std::uint32_t v = 0; v < n; ++v) EXPECT_NEAR(x[v], y[to[v]], 1e-12);
}

TEST(ImplicitSmoother, GivesTheSameBytesOnAnyNumberOfThreads) {
    const Mesh mesh = bumpyGrid(20);
    const Laplacian laplacian = makeLaplacian(LaplacianKind::uniform, mesh.positions, mesh.triangles);
    std::vector<double> first(mesh.vertexCount() * 9);
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = std::cos(double(i));
    std::vector<double> second = first;
    setThreadCount(1);
    ImplicitSmoother(laplacian, mesh.positions, 5).smooth(first, 2);
    setThreadCount(2);
    ImplicitSmoother(laplacian, mesh.positions, 5).smooth(second, 2);
    setThreadCount(0);
    EXPECT_EQ(first, second);
}

TEST(ImplicitSmoother, CopesWithTinyMeshesAndRefusesNonsense) {
    const std::vector<Vec3f> positions{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const std::vector<Triangle> one{{0, 1, 2}};
    const Laplacian triangle = makeLaplacian(LaplacianKind::uniform, positions, one);
    std::vector<double> x{0, 0, 3};
    ImplicitSmoother(triangle, positions, 1e6).smooth(x);
    for (const double value : x) EXPECT_NEAR(value, 1, 1e-5);
    ImplicitSmoother(triangle, positions, 0).smooth(x);

    const Laplacian points = makeLaplacian(LaplacianKind::uniform, positions, {});
    std::vector<double> y{1, 2, 3};
    ImplicitSmoother(points, positions, 1).smooth(y, 5);
    EXPECT_EQ(y, (std::vector<double>{1, 2, 3}));
    ImplicitSmoother(makeLaplacian(LaplacianKind::uniform, {}, {}), {}, 1).smooth({});

    EXPECT_THROW(ImplicitSmoother(triangle, positions, -1), Error);
    EXPECT_THROW(ImplicitSmoother(triangle, positions, std::nan("")), Error);
    EXPECT_THROW(ImplicitSmoother(triangle, positions, 1, std::vector<double>{1}), Error);
    std::vector<double> short_column(2);
    EXPECT_THROW(ImplicitSmoother(triangle, positions, 1).smooth(short_column), Error);
}

}  // namespace
}  // namespace pelt::geometry
