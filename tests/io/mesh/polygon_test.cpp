// Polygons as triangles.
#include "io/mesh/polygon.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace pelt;

namespace {

std::vector<Triangle> cut(const std::vector<Vec3f>& positions) {
    std::vector<std::uint32_t> corners(positions.size());
    std::iota(corners.begin(), corners.end(), 0u);
    std::vector<Triangle> triangles;
    io::appendPolygon(corners, positions, triangles);
    return triangles;
}

Vec3d areaVector(const std::vector<Vec3f>& p, const Triangle& t) {
    return 0.5 * cross(Vec3d(p[t[1]]) - Vec3d(p[t[0]]), Vec3d(p[t[2]]) - Vec3d(p[t[0]]));
}

/// Every triangle is wound like the polygon and has area, and together they have its area: they cover it once.
void expectCovers(const std::vector<Vec3f>& positions) {
    const std::vector<Triangle> triangles = cut(positions);
    ASSERT_EQ(triangles.size(), positions.size() - 2);
    Vec3d whole;
    for (std::uint32_t i = 1; i + 1 < positions.size(); ++i) whole += areaVector(positions, {0, i, i + 1});
    double sum = 0;
    for (const Triangle& t : triangles) {
        const Vec3d area = areaVector(positions, t);
        EXPECT_GT(dot(area, whole), 0) << t[0] << " " << t[1] << " " << t[2];
        sum += length(area);
    }
    EXPECT_NEAR(sum, length(whole), 1e-5 * length(whole));
}

/// The same outline in a plane that is aligned with nothing.
std::vector<Vec3f> tilted(const std::vector<Vec2f>& outline, bool mirrored) {
    std::vector<Vec3f> points;
    for (const Vec2f& p : outline) {
        const float x = mirrored ? -p.x : p.x;
        points.push_back({0.6f * x - 0.3f * p.y + 5, 0.2f * x + 0.9f * p.y - 2, 0.5f * x + 0.1f * p.y});
    }
    return points;
}

}  // namespace

TEST(Polygon, AConvexOneIsAFanFromItsFirstCorner) {
    EXPECT_EQ(cut({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}), (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
    EXPECT_EQ(cut({{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}}), (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(Polygon, ANonConvexOneIsCoveredOnce) {
    const std::vector<std::vector<Vec2f>> outlines = {
        {{0, 0}, {4, 0}, {1, 1}, {0, 4}},                                  // arrow head
        {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}},                  // L
        {{0, 0}, {5, 0}, {5, 3}, {4, 3}, {4, 1}, {1, 1}, {1, 3}, {0, 3}},  // U
        {{0, 0}, {1, 0}, {2, 0}, {2, 2}, {1, 2}, {0, 2}},                  // corners along edges
        {{1, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 0}, {0.5f, 0}},               // and beside the first corner
        {{0, 0},
         {6, 0},
         {6, 6},
         {1, 6},
         {1, 2},
         {4, 2},
         {4, 4},
         {3, 4},
         {3, 3},
         {2, 3},
         {2, 5},
         {5, 5},
         {5, 1},
         {0, 1}}};
    for (const auto& outline : outlines)
        for (const bool mirrored : {false, true})
            for (std::size_t start = 0; start < outline.size(); ++start) {
                std::vector<Vec2f> turned = outline;
                std::rotate(turned.begin(), turned.begin() + static_cast<std::ptrdiff_t>(start), turned.end());
                expectCovers(tilted(turned, mirrored));
            }
}

TEST(Polygon, ARandomStarShapeIsCoveredOnce) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> radius(0.2f, 3.0f);
    for (int round = 0; round < 50; ++round) {
        std::vector<Vec2f> outline;
        const int corners = 4 + round;
        for (int i = 0; i < corners; ++i) {
            const float angle = 6.2831853f * static_cast<float>(i) / static_cast<float>(corners), r = radius(random);
            outline.push_back({r * std::cos(angle), r * std::sin(angle)});
        }
        expectCovers(tilted(outline, round % 2 == 1));
    }
}

TEST(Polygon, ADegenerateOneStillGivesItsTriangles) {
    EXPECT_EQ(cut({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}).size(), 3u);
    EXPECT_EQ(cut({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}).size(), 2u);
    EXPECT_EQ(cut({{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}}).size(), 2u);                 // a bow tie
    EXPECT_EQ(cut({{0, 3, 0}, {2, -3, 0}, {-3, 1, 0}, {3, 1, 0}, {-2, -3, 0}}).size(), 3u);  // a pentagram
    EXPECT_EQ(cut({{3e38f, 0, 0}, {-3e38f, 3e38f, 0}, {0, -3e38f, 3e38f}, {1, 1, 1}}).size(), 2u);
}
