// Vertices at the same place.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/geometry/weld.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "test_meshes.h"

namespace pelt::geometry {
namespace {

/// Chains of pairs within the tolerance, by relaxation over all pairs: slow but obviously correct.
std::vector<std::uint32_t> bruteForceWeld(std::span<const Vec3f> points, double tolerance) {
    std::vector<std::uint32_t> lowest(points.size());
    for (std::uint32_t v = 0; v < points.size(); ++v) lowest[v] = v;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < points.size(); ++i) {
            for (std::size_t j = 0; j < points.size(); ++j) {
                if (length(Vec3d(points[i]) - Vec3d(points[j])) <= tolerance && lowest[j] < lowest[i]) {
                    lowest[i] = lowest[j];
                    changed = true;
                }
            }
        }
    }
    return lowest;
}

std::vector<std::uint32_t> lowestOfClass(const Weld& weld) {
    std::vector<std::uint32_t> lowest;
    for (const std::uint32_t w : weld.welded) lowest.push_back(weld.representative[w]);
    return lowest;
}

TEST(Weld, SplitCopiesOfACubeFallTogether) {
    const Mesh cube = splitCube();
    const Weld weld = weldByPosition(cube.positions);
    EXPECT_EQ(weld.count(), 8u);
    for (std::size_t v = 0; v < cube.positions.size(); ++v) {
        EXPECT_EQ(cube.positions[v], cube.positions[weld.representative[weld.welded[v]]]);
    }
    EXPECT_TRUE(std::is_sorted(weld.representative.begin(), weld.representative.end()));
    EXPECT_EQ(weldedTriangles(cube.triangles, weld).size(), 12u);
}

TEST(Weld, NegativeZeroEqualsZero) {
    const std::vector<Vec3f> points{{0.0f, 1, 0}, {-0.0f, 1, -0.0f}};
    EXPECT_EQ(weldByPosition(points).count(), 1u);
    EXPECT_EQ(weldByPosition(points, 1e-6f).count(), 1u);
}

TEST(Weld, ExactWeldingKeepsNeighboringFloatsApart) {
    const std::vector<Vec3f> points{{1, 0, 0}, {std::nextafter(1.0f, 2.0f), 0, 0}};
    EXPECT_EQ(weldByPosition(points).count(), 2u);
    EXPECT_EQ(weldByPosition(points, 1e-6f).count(), 1u);
}

TEST(Weld, AToleranceAgreesWithBruteForce) {
    std::vector<Vec3f> points = randomPoints(400, 1);
    points.insert(points.end(), points.begin(), points.begin() + 40);
    for (const float tolerance : {0.0f, 0.02f, 0.1f, 0.15f, 0.3f, 5.0f}) {
        const Weld weld = weldByPosition(points, tolerance);
        EXPECT_EQ(lowestOfClass(weld), bruteForceWeld(points, tolerance)) << tolerance;
    }
}

TEST(Weld, TheToleranceItselfIsNear) {
    const std::vector<Vec3f> points{{0, 0, 0}, {0.5f, 0, 0}, {1.5f, 0, 0}};
    EXPECT_EQ(weldByPosition(points, 0.5f).count(), 2u);
    EXPECT_EQ(weldByPosition(points, 0.49999f).count(), 3u);
}

TEST(Weld, ChainsOfNearVerticesBecomeOne) {
    std::vector<Vec3f> points;
    for (int i = 0; i < 100; ++i) points.push_back({float(99 - i), 0, 0});
    EXPECT_EQ(weldByPosition(points, 1.0f).count(), 1u);
}

TEST(Weld, ExtremeAndBrokenPositionsDoNoHarm) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const float huge = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
    const std::vector<Vec3f> points{{nan, 0, 0},  {inf, 0, 0},  {-inf, 0, 0}, {huge, 0, 0}, {-huge, 0, 0},
                                    {huge, 0, 0}, {tiny, 0, 0}, {0, 0, 0},    {nan, 0, 0}};
    EXPECT_EQ(weldByPosition(points).count(), 7u);
    EXPECT_EQ(weldByPosition(points, tiny).count(), 6u);
    EXPECT_EQ(weldByPosition(points, 1.0f).count(), 6u);
    EXPECT_LE(weldByPosition(points, inf).count(), 4u);
    EXPECT_EQ(weldByPosition(std::vector<Vec3f>{}).count(), 0u);
    EXPECT_EQ(weldByPosition(std::vector<Vec3f>{}, 1.0f).count(), 0u);
    EXPECT_THROW(weldByPosition(points, -1.0f), Error);
    EXPECT_THROW(weldByPosition(points, nan), Error);
}

TEST(Weld, RenumberingChangesNothing) {
    std::vector<Vec3f> points = randomPoints(300, 2);
    const std::size_t count = weldByPosition(points, 0.1f).count();
    std::reverse(points.begin(), points.end());
    EXPECT_EQ(weldByPosition(points, 0.1f).count(), count);
}

TEST(Weld, TrianglesThatFallTogetherAreLeftOut) {
    const std::vector<Vec3f> points{{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const std::vector<Triangle> triangles{{0, 1, 2}, {0, 2, 3}, {2, 2, 2}};
    const auto welded = weldedTriangles(triangles, weldByPosition(points));
    ASSERT_EQ(welded.size(), 1u);
    EXPECT_EQ(welded[0], (Triangle{0, 1, 2}));
}

TEST(Weld, ATriangleBeyondTheMeshIsRefused) {
    const std::vector<Vec3f> points{{0, 0, 0}};
    const std::vector<Triangle> triangles{{0, 0, 7}};
    EXPECT_THROW(weldedTriangles(triangles, weldByPosition(points)), Error);
}

TEST(Weld, BodiesStayApartWhereverTheyLie) {
    Mesh mesh;
    const auto points = randomPoints(200, 3);
    for (int copy = 0; copy < 3; ++copy) mesh.positions.insert(mesh.positions.end(), points.begin(), points.end());
    mesh.parts = {{"a", "", 0, 200, 0, 0, 0, 0}, {"b", "", 200, 200, 0, 0, 1, 7}, {"c", "", 400, 200, 0, 0, 2, 0}};
    for (const float tolerance : {0.0f, 1e-4f}) {
        const Weld weld = weldByPosition(mesh, tolerance);
        EXPECT_EQ(weld.count(), 400u);
        for (std::uint32_t v = 0; v < 200; ++v) {
            EXPECT_EQ(weld.welded[v], weld.welded[v + 400]);  // two nodes of one body
            EXPECT_NE(weld.welded[v], weld.welded[v + 200]);
        }
    }
    for (MeshPart& part : mesh.parts) part.body = 0;
    EXPECT_EQ(weldByPosition(mesh).count(), 200u);
    EXPECT_TRUE(bodiesOf(mesh).empty());
    const std::vector<std::uint32_t> wrong(3);
    EXPECT_THROW(weldByPosition(mesh.positions, 0, wrong), Error);
}

}  // namespace
}  // namespace pelt::geometry
