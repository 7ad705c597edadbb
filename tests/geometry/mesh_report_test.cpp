// What is wrong with a mesh.
#include <gtest/gtest.h>
#include <pelt/geometry/mesh_report.h>

#include "test_meshes.h"

namespace pelt::geometry {
namespace {

MeshReport report(const Mesh& mesh) { return inspectMesh(mesh, weldByPosition(mesh.positions)); }

TEST(MeshReport, ASplitCubeIsClosedOnceWelded) {
    const MeshReport r = report(splitCube());
    EXPECT_TRUE(r.closed());
    EXPECT_EQ(r.welded_vertices, 8u);
    EXPECT_EQ(r.seam_vertices, 24u);
    EXPECT_EQ(r.connected_parts, 1u);
    EXPECT_EQ(r.zero_area_faces + r.duplicate_faces + r.isolated_vertices, 0u);
}

TEST(MeshReport, AGridHasItsBoundary) {
    const MeshReport r = report(gridMesh(5));
    EXPECT_EQ(r.boundary_edges, 20u);
    EXPECT_FALSE(r.closed());
    EXPECT_EQ(r.seam_vertices, 0u);
}

TEST(MeshReport, CountsEveryKindOfTrouble) {
    Mesh mesh;
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0},
                      {9, 9, 9}, {2, 0, 0}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}};
    mesh.triangles = {{0, 1, 2}, {0, 1, 3}, {1, 0, 4},  // three faces on the edge 0-1
                      {2, 1, 0},                        // the first again, turned over
                      {0, 1, 6},                        // on a line: no area, and the fourth face of that edge
                      {3, 3, 3},                        // a point
                      {7, 8, 9}};                       // another part
    const MeshReport r = report(mesh);
    EXPECT_EQ(r.non_manifold_edges, 1u);
    EXPECT_EQ(r.duplicate_faces, 1u);
    EXPECT_EQ(r.zero_area_faces, 2u);
    EXPECT_EQ(r.isolated_vertices, 1u);
    EXPECT_EQ(r.connected_parts, 2u);
    EXPECT_EQ(r.boundary_edges, 11u);
}

TEST(MeshReport, OfNothingIsZero) {
    const MeshReport r = report(Mesh{});
    EXPECT_EQ(r.welded_vertices, 0u);
    EXPECT_EQ(r.connected_parts, 0u);
    EXPECT_TRUE(r.closed());
}

}  // namespace
}  // namespace pelt::geometry
