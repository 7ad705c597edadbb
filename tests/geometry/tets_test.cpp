// Tetrahedra: Laplacians and lattices.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/tets.h>
#include <pelt/scenes/scenes.h>

#include <algorithm>
#include <numeric>

#include "test_meshes.h"

namespace pelt::geometry {
namespace {

double volumeOf(const TetMesh& mesh) {
    double sum = 0;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) sum += tetVolume(mesh, t);
    return sum;
}

/// The mesh's own positions, as the lattice carries them.
double largestMiss(const Mesh& mesh, const TetEmbedding& embedding) {
    std::vector<double> values;
    for (const Vec3d& p : embedding.lattice.positions) values.insert(values.end(), {p.x, p.y, p.z});
    const std::vector<double> back = interpolate(embedding, values, 3);
    double largest = 0;
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v)
        largest =
            std::max(largest, length(Vec3d(back[3 * v], back[3 * v + 1], back[3 * v + 2]) - Vec3d(mesh.positions[v])));
    return largest;
}

TEST(Tets, TheCotangentsOfARegularTetAreAllAlike) {
    const TetMesh mesh{{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}, {{0, 1, 2, 3}}};
    // The dihedral angle has cosine 1/3; edges are 2 sqrt(2) long.
    const double expected = 2 * std::sqrt(2.0) / 6 / std::sqrt(8.0);
    for (const double w : tetCotangents(mesh, 0)) EXPECT_NEAR(w, expected, 1e-14);
    EXPECT_NEAR(tetVolume(mesh, 0), 8.0 / 3, 1e-14);
}

TEST(Tets, ATetWithoutVolumeAddsNothing) {
    const TetMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{0, 1, 2, 3}}};
    for (const double w : tetCotangents(mesh, 0)) EXPECT_EQ(w, 0);
}

TEST(Tets, LinearFunctionsAreHarmonicInside) {
    TetMesh lattice = embedInTets(splitCube(), {2000}).lattice;
    const auto shake = randomPoints(lattice.vertexCount(), 3);
    double size = 1e9;
    const Adjacency neighbors = tetAdjacency(lattice);
    for (const std::uint32_t n : neighbors.of(0))
        size = std::min(size, length(lattice.positions[0] - lattice.positions[n]));
    std::vector<bool> inside(lattice.vertexCount());
    for (std::size_t v = 0; v < inside.size(); ++v) {
        const Vec3d p = lattice.positions[v];
        inside[v] = std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) < 1 - size;
        lattice.positions[v] += 0.1 * size * Vec3d(shake[v]);
    }
    const Laplacian laplacian = tetLaplacian(lattice);
    std::size_t checked = 0;
    for (std::size_t v = 0; v < inside.size(); ++v) {
        if (!inside[v]) continue;
        ++checked;
        double sum = 0;
        for (std::size_t e = laplacian.edges.offsets[v]; e < laplacian.edges.offsets[v + 1]; ++e) {
            const Vec3d way = lattice.positions[laplacian.edges.neighbors[e]] - lattice.positions[v];
            sum += laplacian.weights[e] * dot(way, Vec3d{1, -2, 0.5});
        }
        EXPECT_NEAR(sum, 0, 1e-12);
    }
    EXPECT_GT(checked, 30u);
}

TEST(Tets, MassesAddUpToTheVolume) {
    const TetMesh lattice = embedInTets(splitCube(), {500}).lattice;
    const std::vector<double> mass = tetMass(lattice);
    EXPECT_NEAR(std::accumulate(mass.begin(), mass.end(), 0.0), volumeOf(lattice), 1e-9);
}

TEST(Tets, TetsBeyondTheVerticesAreRefused) {
    const TetMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2, 3}}};
    EXPECT_THROW(tetLaplacian(mesh), Error);
    EXPECT_THROW(tetMass(mesh), Error);
    EXPECT_THROW(locateInTets(mesh, {}), Error);
    EXPECT_THROW(locateInTets({}, {}), Error);
}

TEST(EmbedInTets, EverySceneIsCarriedByItsLattice) {
    for (const char* name : {"bar", "bar-parts", "branch", "arm"}) {
        const Mesh mesh = scenes::find(name)->make(1000).mesh;
        const TetEmbedding embedding = embedInTets(mesh, {4000});
        ASSERT_EQ(embedding.vertexCount(), mesh.vertexCount());
        EXPECT_LT(largestMiss(mesh, embedding), 1e-9) << name;
        for (const auto& shares : embedding.barycentric) EXPECT_GE(*std::min_element(shares.begin(), shares.end()), 0);
        EXPECT_GT(embedding.lattice.tets.size(), 3000u) << name;
        EXPECT_LT(embedding.lattice.tets.size(), 5000u) << name;
    }
}

TEST(EmbedInTets, NoCotangentIsNegativeAndNoTetFlat) {
    const TetMesh lattice = embedInTets(scenes::find("branch")->make(500).mesh, {3000}).lattice;
    for (std::size_t t = 0; t < lattice.tets.size(); ++t) {
        EXPECT_NEAR(tetVolume(lattice, t), tetVolume(lattice, 0), 1e-9 * tetVolume(lattice, 0));
        for (const double w : tetCotangents(lattice, t)) EXPECT_GT(w, -1e-12);
    }
}

TEST(EmbedInTets, AClosedShapeIsFilledAndNotMuchMore) {
    const TetMesh coarse = embedInTets(splitCube(), {1000}).lattice, fine = embedInTets(splitCube(), {40000}).lattice;
    EXPECT_GT(volumeOf(coarse), 8);
    EXPECT_GT(volumeOf(fine), 8);
    EXPECT_LT(volumeOf(fine), volumeOf(coarse));
    EXPECT_LT(volumeOf(fine), 1.35 * 8);
}

TEST(EmbedInTets, AShapeTurnedInsideOutIsFilledToo) {
    Mesh mesh = splitCube();
    for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
    EXPECT_GT(volumeOf(embedInTets(mesh, {5000}).lattice), 8);
}

TEST(EmbedInTets, ABoxWithoutLidIsStillFilled) {
    Mesh mesh = splitCube();
    mesh.triangles.resize(mesh.triangles.size() - 2);
    EXPECT_GT(volumeOf(embedInTets(mesh, {5000}).lattice), 7.9);
}

TEST(EmbedInTets, ASheetGetsTheCellsThatItTouches) {
    const Mesh sheet = gridMesh(8);
    const TetEmbedding embedding = embedInTets(sheet, {1500});
    EXPECT_LT(largestMiss(sheet, embedding), 1e-9);
    EXPECT_GT(embedding.lattice.tets.size(), 500u);
    EXPECT_LT(volumeOf(embedding.lattice), 0.4);
}

TEST(EmbedInTets, TheLatticeOfASymmetricShapeIsSymmetric) {
    const TetMesh lattice = embedInTets(scenes::find("branch")->make(800).mesh, {3000}).lattice;
    const auto sorted = [](std::vector<Vec3d> points) {
        std::vector<std::array<std::int64_t, 3>> keys;
        for (const Vec3d& p : points)
            keys.push_back({std::llround(p.x * 1e7), std::llround(p.y * 1e7), std::llround(p.z * 1e7)});
        std::sort(keys.begin(), keys.end());
        return keys;
    };
    std::vector<Vec3d> mirrored = lattice.positions;
    for (Vec3d& p : mirrored) p.x = -p.x;
    EXPECT_EQ(sorted(lattice.positions), sorted(mirrored));
}

TEST(EmbedInTets, TheSameBytesOnAnyNumberOfThreads) {
    const Mesh mesh = scenes::find("arm")->make(500).mesh;
    setThreadCount(1);
    const TetEmbedding one = embedInTets(mesh, {3000});
    setThreadCount(0);
    const TetEmbedding all = embedInTets(mesh, {3000});
    EXPECT_EQ(one.lattice.tets, all.lattice.tets);
    EXPECT_EQ(one.lattice.positions, all.lattice.positions);
    EXPECT_EQ(one.barycentric, all.barycentric);
}

TEST(EmbedInTets, WhatCannotBeEmbeddedIsRefused) {
    EXPECT_THROW(embedInTets({}), Error);
    EXPECT_THROW(embedInTets(splitCube(), {0}), Error);
    Mesh mesh = splitCube();
    mesh.positions[3].z = NAN;
    EXPECT_THROW(embedInTets(mesh), Error);
    mesh.positions.assign(3, Vec3f{1, 2, 3});
    mesh.triangles = {{0, 1, 2}};
    EXPECT_THROW(embedInTets(mesh), Error);
    mesh.triangles = {{0, 1, 7}};
    EXPECT_THROW(embedInTets(mesh), Error);
}

TEST(LocateInTets, PointsAreFoundInsideAndDrawnToTheNearestOutside) {
    const TetMesh lattice = embedInTets(splitCube(), {3000}).lattice;
    Mesh inside;
    inside.positions = randomPoints(300, 5);
    EXPECT_LT(largestMiss(inside, locateInTets(lattice, inside.positions)), 1e-9);
    const std::vector<Vec3f> outside{{5, 0.2f, 0.3f}, {-4, -4, -4}};
    const TetEmbedding located = locateInTets(lattice, outside);
    for (std::size_t v = 0; v < outside.size(); ++v) {
        Vec3d at;
        for (std::size_t c = 0; c < 4; ++c)
            at += located.barycentric[v][c] * lattice.positions[lattice.tets[located.tet[v]][c]];
        EXPECT_LT(length(at - Vec3d(outside[v])), length(Vec3d(outside[v])) - 0.5) << v;
    }
}

TEST(LocateInTets, AcrossAGapTheNearerTetIsFound) {
    TetMesh mesh;
    for (const double x : {0.0, 10.0}) {
        const auto first = std::uint32_t(mesh.positions.size());
        for (const Vec3d& p : {Vec3d{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})
            mesh.positions.push_back(p + Vec3d{x, 0, 0});
        for (std::uint32_t k = 0; k < 30; ++k) mesh.tets.push_back({first, first + 1, first + 2, first + 3});
    }
    const std::vector<Vec3f> points{{7.5f, 0.2f, 0.2f}, {2.5f, 0.2f, 0.2f}};
    const TetEmbedding located = locateInTets(mesh, points);
    EXPECT_GE(located.tet[0], 30u);
    EXPECT_LT(located.tet[1], 30u);
}

}  // namespace
}  // namespace pelt::geometry
