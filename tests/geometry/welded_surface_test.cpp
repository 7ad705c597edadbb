// The surface of a mesh without its seams.
#include <gtest/gtest.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/geometry/welded_surface.h>
#include <pelt/scenes/scenes.h>

#include <cmath>

namespace pelt::geometry {
namespace {

Mesh twoTrianglesWithASeam() {
    Mesh mesh;
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    mesh.triangles = {{0, 1, 2}, {3, 5, 4}};
    return mesh;
}

TEST(WeldedSurface, IsTheMeshWithoutItsSeams) {
    const SharedSurface surface = weldSurface(twoTrianglesWithASeam(), 0, LaplacianKind::uniform);
    EXPECT_EQ(surface->weld.welded, (std::vector<std::uint32_t>{0, 1, 2, 1, 2, 3}));
    EXPECT_EQ(surface->positions, (std::vector<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}));
    EXPECT_EQ(surface->triangles, (std::vector<Triangle>{{0, 1, 2}, {1, 3, 2}}));
    EXPECT_EQ(surface->laplacian.diagonal, (std::vector<double>{2, 3, 3, 2}));
}

TEST(WeldedSurface, BodiesStayApart) {
    Mesh mesh = twoTrianglesWithASeam();
    mesh.parts.resize(2);
    mesh.parts[0].vertex_count = mesh.parts[1].vertex_count = mesh.parts[1].first_vertex = 3;
    mesh.parts[1].body = mesh.parts[0].body + 1;
    EXPECT_EQ(weldSurface(mesh, 0, LaplacianKind::uniform)->positions.size(), 6u);
}

TEST(WeldedSurface, SuitsTheNumbersItWasMadeWithAlone) {
    const SharedSurface surface = weldSurface(twoTrianglesWithASeam(), 0.25f, LaplacianKind::uniform);
    EXPECT_TRUE(suits(surface, 6, 0.25f, LaplacianKind::uniform));
    EXPECT_FALSE(suits(surface, 5, 0.25f, LaplacianKind::uniform));
    EXPECT_FALSE(suits(surface, 6, 0, LaplacianKind::uniform));
    EXPECT_FALSE(suits(surface, 6, 0.25f, LaplacianKind::cotangent));
    EXPECT_FALSE(suits(nullptr, 6, 0.25f, LaplacianKind::uniform));
}

TEST(BoundingBox, HoldsTheFinitePoints) {
    const Box box = boundingBox(std::vector<Vec3f>{{1, 2, 3}, {-1, 5, 3}, {NAN, 100, 100}});
    EXPECT_EQ(box.low, Vec3d(-1, 2, 3));
    EXPECT_EQ(box.high, Vec3d(1, 5, 3));
    EXPECT_EQ(box.center(), Vec3d(0, 3.5, 3));
    EXPECT_EQ(box.diagonal(), std::sqrt(13.0));
    EXPECT_EQ(boundingBox(std::vector<Vec3d>{}).diagonal(), 0);
}

}  // namespace
}  // namespace pelt::geometry
