// The nearest point of a surface.
#include <gtest/gtest.h>
#include <pelt/geometry/ray_tree.h>

#include <random>

namespace pelt::geometry {
namespace {

/// Scattered triangles with alternating tags.
struct Strewn {
    std::vector<Vec3d> positions;
    std::vector<Triangle> triangles;
    std::vector<std::uint32_t> tags;

    explicit Strewn(std::uint32_t count) {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> at(-1, 1);
        for (std::uint32_t t = 0; t < count; ++t) {
            const Vec3d middle{at(random), at(random), at(random)};
            for (int k = 0; k < 3; ++k) positions.push_back(middle + Vec3d{at(random), at(random), at(random)} * 0.2);
            triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
            tags.push_back(t % 3);
        }
    }
};

/// The nearest of a fine grid of places on the triangle.
double sampledDistance(const Strewn& mesh, std::uint32_t t, const Vec3d& point) {
    constexpr int kSubsteps = 60;
    double best = HUGE_VAL;
    for (int a = 0; a <= kSubsteps; ++a)
        for (int b = 0; a + b <= kSubsteps; ++b) {
            const double u = a / double(kSubsteps), v = b / double(kSubsteps);
            const Vec3d place =
                mesh.positions[3 * t] * (1 - u - v) + mesh.positions[3 * t + 1] * u + mesh.positions[3 * t + 2] * v;
            best = std::min(best, length(place - point));
        }
    return best;
}

TEST(NearestPlace, AgreesWithTryingEveryTriangle) {
    const Strewn mesh(80);
    const RayTree tree(mesh.positions, mesh.triangles, mesh.tags);
    const std::vector<bool> allowed{true, false, true};
    std::mt19937 random(8);
    std::uniform_real_distribution<double> at(-1.5, 1.5);
    for (int n = 0; n < 40; ++n) {
        const Vec3d point{at(random), at(random), at(random)};
        double best = HUGE_VAL;
        for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
            if (allowed[mesh.tags[t]]) best = std::min(best, sampledDistance(mesh, t, point));
        const auto found = tree.nearest(point, HUGE_VAL, allowed);
        ASSERT_TRUE(found);
        EXPECT_LE(found->distance, best + 1e-12);
        EXPECT_GE(found->distance, best - 0.02);  // the samples' own error
        EXPECT_NEAR(length(found->point - point), found->distance, 1e-12);
        EXPECT_NEAR(sampledDistance(mesh, found->triangle, point), found->distance, 0.02);
        EXPECT_NE(mesh.tags[found->triangle], 1u);
    }
}

TEST(NearestPlace, TheSharesOfTheCornersGiveThePoint) {
    const Strewn mesh(40);
    const RayTree tree(mesh.positions, mesh.triangles);
    std::mt19937 random(9);
    std::uniform_real_distribution<double> at(-1.5, 1.5);
    for (int n = 0; n < 60; ++n) {
        const auto found = tree.nearest({at(random), at(random), at(random)}, HUGE_VAL);
        ASSERT_TRUE(found);
        const std::uint32_t corner = 3 * found->triangle;
        Vec3d blend;
        double sum = 0;
        for (std::uint32_t k = 0; k < 3; ++k) {
            EXPECT_GE(found->shares[k], 0);
            sum += found->shares[k];
            blend += mesh.positions[corner + k] * found->shares[k];
        }
        EXPECT_NEAR(sum, 1, 1e-12);
        EXPECT_NEAR(length(blend - found->point), 0, 1e-12);
    }
}

TEST(NearestPlace, OnlyFacesThatFaceTheDirectionAreConsidered) {
    // Two squares above each other, the lower one facing down.
    const std::vector<Vec3d> positions{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    const std::vector<Triangle> triangles{{0, 2, 1}, {3, 4, 5}};
    const RayTree tree(positions, triangles);
    const Vec3d point{0.2, 0.2, 0.1};
    EXPECT_EQ(tree.nearest(point, HUGE_VAL)->triangle, 0u);
    EXPECT_EQ(tree.nearestFacing(point, HUGE_VAL, {{0, 0, 1}, 0.5})->triangle, 1u);
    EXPECT_EQ(tree.nearestFacing(point, HUGE_VAL, {{0, 0, 1}, 0.5, true})->triangle, 0u);
    EXPECT_FALSE(tree.nearestFacing(point, 0.5, {{0, 0, 1}, 0.5}));
    EXPECT_FALSE(tree.nearestFacing(point, HUGE_VAL, {{1, 0, 0}, 0.5, true}));
}

TEST(NearestPlace, TrianglesWithoutAreaHaveANearestPointToo) {
    const std::vector<Vec3d> positions{{0, 0, 0}, {0, 0, 0}, {2, 0, 0}, {5, 5, 5}};
    for (const Triangle& flat : {Triangle{0, 1, 2}, Triangle{2, 0, 1}, Triangle{1, 2, 0}, Triangle{0, 2, 2}}) {
        const auto found = RayTree(positions, std::vector<Triangle>{flat}).nearest({1, 1, 0}, HUGE_VAL);
        ASSERT_TRUE(found);
        EXPECT_NEAR(found->distance, 1, 1e-12);
    }
}

TEST(NearestPlace, NothingIsFoundBeyondTheReachOrWithoutAnAllowedTag) {
    const Strewn mesh(10);
    const RayTree tree(mesh.positions, mesh.triangles, mesh.tags);
    EXPECT_EQ(tree.tagCount(), 3u);
    EXPECT_FALSE(tree.nearest({10, 0, 0}, 5, {true, true, true}));
    EXPECT_TRUE(tree.nearest({10, 0, 0}, 15, {true, true, true}));
    EXPECT_FALSE(tree.nearest({0, 0, 0}, 15, {false, false, false}));
    EXPECT_FALSE(RayTree({}, {}, {}).nearest({0, 0, 0}, 1, {}));
}

}  // namespace
}  // namespace pelt::geometry
