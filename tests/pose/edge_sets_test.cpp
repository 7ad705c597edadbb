// Edges of the reduced energies.
#include "pose/fast/prepare/edge_sets.h"

#include <gtest/gtest.h>
#include <pelt/geometry/laplacian.h>
#include <pelt/geometry/tets.h>

#include <map>

#include "pose_case.h"

namespace pelt::pose {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

std::map<Edge, double> sumsOf(const EdgeSets& sets) {
    std::map<Edge, double> sums;
    for (const EdgeTerm& t : sets.terms) {
        EXPECT_GT(t.c, 0);
        EXPECT_LT(t.set, sets.count);
        sums[std::minmax(t.i, t.j)] += t.c;
    }
    return sums;
}

void expectLaplacian(const geometry::Laplacian& laplacian, const std::map<Edge, double>& sums) {
    for (std::uint32_t v = 0; v < laplacian.vertexCount(); ++v)
        for (std::size_t e = laplacian.edges.offsets[v]; e < laplacian.edges.offsets[v + 1]; ++e) {
            const auto found = sums.find(std::minmax(v, laplacian.edges.neighbors[e]));
            EXPECT_NEAR(found == sums.end() ? 0 : found->second, laplacian.weights[e], 1e-9);
        }
}

TEST(EdgeSets, AddUpToTheCotangentLaplacianWhateverTheEnergy) {
    // A sheet of right angles has no negative cotangent, so that nothing is cut.
    const Character sheet = flatSheet(6);
    const std::vector<Vec3d> positions(sheet.mesh.positions.begin(), sheet.mesh.positions.end());
    const geometry::Laplacian laplacian =
        geometry::makeLaplacian(geometry::LaplacianKind::cotangent, sheet.mesh.positions, sheet.mesh.triangles);
    for (const Energy energy : {Energy::triangles, Energy::spokes, Energy::spokes_and_rims})
        expectLaplacian(laplacian, sumsOf(surfaceSets(energy, positions, sheet.mesh.triangles)));
    const geometry::TetEmbedding in = geometry::embedInTets(posed("bar", 200).mesh, {400});
    expectLaplacian(geometry::tetLaplacian(in.lattice), sumsOf(tetSets(in.lattice)));
}

TEST(EdgeSets, SpokesHaveTheirVertexAndRimsItsTriangles) {
    const Character sheet = flatSheet(4);
    const std::vector<Vec3d> positions(sheet.mesh.positions.begin(), sheet.mesh.positions.end());
    for (const EdgeTerm& t : surfaceSets(Energy::spokes, positions, sheet.mesh.triangles).terms)
        EXPECT_TRUE(t.set == t.i || t.set == t.j);
    for (const EdgeTerm& t : surfaceSets(Energy::triangles, positions, sheet.mesh.triangles).terms)
        for (const std::uint32_t v : {t.i, t.j}) {
            const Triangle& corners = sheet.mesh.triangles[t.set];
            EXPECT_NE(std::find(corners.begin(), corners.end(), v), corners.end());
        }
}

}  // namespace
}  // namespace pelt::pose
