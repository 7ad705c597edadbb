// The smallest enclosing sphere.
#include <gtest/gtest.h>
#include <pelt/geometry/bounding_sphere.h>

#include <algorithm>
#include <limits>

#include "test_meshes.h"

namespace pelt::geometry {
namespace {

/// Half the largest distance is a lower bound of the radius; the definition, checked through the optimality condition:
/// the center of the smallest ball is a convex combination of the points on its boundary. Found by projecting the
/// center onto their hull with Frank-Wolfe steps.
double distanceToHullOfTouching(const Sphere& sphere, std::span<const Vec3f> points) {
    std::vector<Vec3d> touching;
    for (const Vec3f& p : points) {
        if (length(Vec3d(p) - sphere.center) >= sphere.radius * (1 - 1e-7))
            touching.push_back(Vec3d(p) - sphere.center);
    }
    if (touching.empty()) return sphere.radius;
    Vec3d nearest = touching[0];
    for (int i = 0; i < 20000; ++i) {
        const Vec3d* best = &touching[0];
        for (const Vec3d& t : touching) {
            if (dot(t, nearest) < dot(*best, nearest)) best = &t;
        }
        const Vec3d step = *best - nearest;
        const double along = dot(step, step);
        if (!(along > 0)) break;
        nearest += step * std::clamp(-dot(nearest, step) / along, 0.0, 1.0);
    }
    return length(nearest);
}

void expectSmallest(std::span<const Vec3f> points, const char* what) {
    const Sphere sphere = smallestEnclosingSphere(points);
    double farthest = 0;
    int touching = 0;
    for (const Vec3f& p : points) {
        const double d = length(Vec3d(p) - sphere.center);
        farthest = std::max(farthest, d);
        touching += d >= sphere.radius * (1 - 1e-9);
    }
    EXPECT_LE(farthest, sphere.radius * (1 + 1e-15)) << what;
    EXPECT_GE(touching, 2) << what;
    EXPECT_LE(distanceToHullOfTouching(sphere, points), sphere.radius * 2e-3) << what;
}

TEST(BoundingSphere, OfAFewPointsIsKnown) {
    EXPECT_EQ(smallestEnclosingSphere({}).radius, 0);
    const std::vector<Vec3f> one{{3, 4, 5}};
    EXPECT_EQ(smallestEnclosingSphere(one).radius, 0);
    EXPECT_EQ(smallestEnclosingSphere(one).center, (Vec3d{3, 4, 5}));
    const std::vector<Vec3f> two{{-1, 0, 0}, {3, 0, 0}};
    EXPECT_DOUBLE_EQ(smallestEnclosingSphere(two).radius, 2);
    const std::vector<Vec3f> obtuse{{-1, 0, 0}, {0, 0.1f, 0}, {3, 0, 0}};
    EXPECT_DOUBLE_EQ(smallestEnclosingSphere(obtuse).radius, 2);
    const std::vector<Vec3f> tetrahedron{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    EXPECT_NEAR(smallestEnclosingSphere(tetrahedron).radius, std::sqrt(3.0), 1e-14);
    EXPECT_NEAR(length(smallestEnclosingSphere(tetrahedron).center), 0, 1e-14);
}

TEST(BoundingSphere, IsTheSmallestOfRandomClouds) {
    for (unsigned seed = 0; seed < 60; ++seed) expectSmallest(randomPoints(2 + seed, seed), "cloud");
    expectSmallest(randomPoints(20000, 99), "large cloud");
}

TEST(BoundingSphere, CopesWithManyPointsOnTheBoundary) {
    std::vector<Vec3f> sphere, cube, circle, line;
    for (const Vec3f& p : randomPoints(5000, 7)) sphere.push_back(normalized(p) * 0.7f + Vec3f{5, -3, 2});
    for (int i = 0; i < 1000; ++i) {
        cube.push_back({float(i % 10), float(i / 10 % 10), float(i / 100)});
        const double a = 0.001 * i * 6.283185307179586;
        circle.push_back(Vec3f{float(std::cos(a)), float(std::sin(a)), 1});
        line.push_back(Vec3f{1, 2, 3} + Vec3f{0.1f, 0.2f, 0.3f} * float(i));
    }
    expectSmallest(sphere, "sphere");
    EXPECT_NEAR(smallestEnclosingSphere(sphere).radius, 0.7, 1e-6);
    expectSmallest(cube, "cube");
    EXPECT_NEAR(smallestEnclosingSphere(cube).radius, 4.5 * std::sqrt(3.0), 1e-13);
    expectSmallest(circle, "circle");
    EXPECT_NEAR(smallestEnclosingSphere(circle).radius, 1, 1e-6);
    expectSmallest(line, "line");
}

TEST(BoundingSphere, HoldsFarFromTheOriginAndAtAnyScale) {
    for (const float scale : {1e-30f, 1e-3f, 1e3f, 1e30f}) {
        std::vector<Vec3f> points = randomPoints(500, 3);
        for (Vec3f& p : points) p *= scale;
        expectSmallest(points, "scaled");
    }
    std::vector<Vec3f> points = randomPoints(500, 4);
    for (Vec3f& p : points) p += Vec3f{1000, 2000, -3000};
    expectSmallest(points, "far away");
}

TEST(BoundingSphere, DoesNotDependOnTheOrderOfThePoints) {
    std::vector<Vec3f> points = randomPoints(3000, 5);
    const Sphere a = smallestEnclosingSphere(points);
    std::reverse(points.begin(), points.end());
    const Sphere b = smallestEnclosingSphere(points);
    EXPECT_NEAR(a.radius, b.radius, 1e-13);
    EXPECT_NEAR(length(a.center - b.center), 0, 1e-7);
}

TEST(BoundingSphere, LeavesOutPointsThatAreNotFinite) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const std::vector<Vec3f> points{{nan, 0, 0}, {-1, 0, 0}, {0, inf, 0}, {1, 0, 0}, {0, 0, -inf}};
    EXPECT_DOUBLE_EQ(smallestEnclosingSphere(points).radius, 1);
    EXPECT_DOUBLE_EQ(boundingDiagonal(points), 2);
    const std::vector<Vec3f> none{{nan, nan, nan}};
    EXPECT_EQ(smallestEnclosingSphere(none).radius, 0);
    EXPECT_EQ(boundingDiagonal(none), 0);
    EXPECT_EQ(boundingDiagonal({}), 0);
}

}  // namespace
}  // namespace pelt::geometry
