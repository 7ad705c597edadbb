// Neighbors of vertices, and connected parts.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/geometry/adjacency.h>

#include <set>

#include "test_meshes.h"

namespace pelt::geometry {
namespace {

TEST(Adjacency, AgreesWithASetOfEdges) {
    const Mesh mesh = gridMesh(7);
    std::vector<std::set<std::uint32_t>> expected(mesh.vertexCount());
    for (const Triangle& t : mesh.triangles) {
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                if (i != j) expected[t[i]].insert(t[j]);
            }
        }
    }
    const Adjacency adjacency = vertexAdjacency(mesh.triangles, mesh.vertexCount());
    ASSERT_EQ(adjacency.vertexCount(), mesh.vertexCount());
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
        const auto found = adjacency.of(v);
        EXPECT_EQ(std::vector<std::uint32_t>(found.begin(), found.end()),
                  std::vector<std::uint32_t>(expected[v].begin(), expected[v].end()));
    }
}

TEST(Adjacency, BadFacesGiveNoSelfEdgesAndNoRepeats) {
    const std::vector<Triangle> triangles{{0, 0, 1}, {0, 1, 2}, {0, 1, 2}, {2, 1, 0}, {3, 3, 3}};
    const Adjacency adjacency = vertexAdjacency(triangles, 5);
    EXPECT_EQ(adjacency.neighbors.size(), 6u);
    EXPECT_TRUE(adjacency.of(3).empty());
    EXPECT_TRUE(adjacency.of(4).empty());
}

TEST(Adjacency, OfNothingIsEmpty) {
    EXPECT_EQ(Adjacency{}.vertexCount(), 0u);
    EXPECT_EQ(vertexAdjacency({}, 0).vertexCount(), 0u);
    EXPECT_EQ(connectedParts(vertexAdjacency({}, 0)).count, 0u);
}

TEST(Adjacency, ATriangleBeyondTheMeshIsRefused) {
    const std::vector<Triangle> triangles{{0, 1, 3}};
    EXPECT_THROW(vertexAdjacency(triangles, 3), Error);
}

TEST(ConnectedParts, AreNumberedByTheirLowestVertex) {
    const std::vector<Triangle> triangles{{5, 6, 7}, {1, 2, 4}};
    const ConnectedParts parts = connectedParts(vertexAdjacency(triangles, 8));
    EXPECT_EQ(parts.count, 4u);
    EXPECT_EQ(parts.part, (std::vector<std::uint32_t>{0, 1, 1, 2, 1, 3, 3, 3}));
}

}  // namespace
}  // namespace pelt::geometry
