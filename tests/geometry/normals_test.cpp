// Vertex normals.
#include <gtest/gtest.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/normals.h>

#include "test_meshes.h"

namespace pelt::geometry {
namespace {

std::vector<Vec3f> normalsOf(const Mesh& mesh) {
    return angleWeightedNormals(mesh.positions, mesh.triangles, weldByPosition(mesh.positions));
}

TEST(Normals, OfACubePointToItsCornersWhateverTheDiagonals) {
    const Mesh cube = splitCube();
    const auto normals = normalsOf(cube);
    for (std::size_t v = 0; v < normals.size(); ++v) {
        const Vec3f expected = normalized(cube.positions[v]);
        EXPECT_NEAR(length(normals[v] - expected), 0, 1e-6) << v;
    }
}

TEST(Normals, CopiesOfAVertexHaveEqualBits) {
    const Mesh cube = splitCube();
    const auto normals = normalsOf(cube);
    const Weld weld = weldByPosition(cube.positions);
    for (std::size_t v = 0; v < normals.size(); ++v) {
        EXPECT_EQ(normals[v], normals[weld.representative[weld.welded[v]]]);
    }
}

TEST(Normals, DoNotDependOnTheSizeOfTheMesh) {
    Mesh cube = splitCube();
    const auto normals = normalsOf(cube);
    for (const float scale : {1e-30f, 1e-6f, 1e6f, 1e30f}) {
        Mesh scaled = cube;
        for (Vec3f& p : scaled.positions) p *= scale;
        const auto other = normalsOf(scaled);
        for (std::size_t v = 0; v < normals.size(); ++v) EXPECT_NEAR(length(normals[v] - other[v]), 0, 1e-6);
    }
}

TEST(Normals, AreTheSameBytesOnAnyNumberOfThreads) {
    Mesh mesh = gridMesh(120);
    for (Vec3f& p : mesh.positions) p.z = std::sin(9 * p.x) * std::cos(7 * p.y);
    setThreadCount(1);
    const auto serial = normalsOf(mesh);
    setThreadCount(2);
    EXPECT_EQ(normalsOf(mesh), serial);
    setThreadCount(0);
}

TEST(Normals, WithoutAFaceOfAnyAreaPointUp) {
    Mesh mesh;
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {5, 5, 5}};
    mesh.triangles = {{0, 1, 2}, {1, 1, 1}};
    for (const Vec3f& n : normalsOf(mesh)) EXPECT_EQ(n, (Vec3f{0, 0, 1}));
    EXPECT_TRUE(normalsOf(Mesh{}).empty());
}

TEST(Normals, AreNotSpoiledByAZeroAreaFaceBesideARealOne) {
    Mesh mesh;
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5f, 0, 0}};
    mesh.triangles = {{0, 2, 1}, {0, 3, 1}};
    const auto normals = normalsOf(mesh);
    EXPECT_EQ(normals[0], (Vec3f{0, 0, -1}));
    EXPECT_EQ(normals[1], (Vec3f{0, 0, -1}));
}

}  // namespace
}  // namespace pelt::geometry
