// Rays against triangles, and inside or outside.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/geometry/ray_tree.h>

#include <limits>
#include <random>

namespace pelt::geometry {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

struct Soup {
    std::vector<Vec3d> positions;
    std::vector<Triangle> triangles;
    std::vector<std::uint32_t> tags;

    /// A box with its faces outwards.
    void addBox(const Vec3d& low, const Vec3d& high, std::uint32_t tag) {
        const auto first = static_cast<std::uint32_t>(positions.size());
        for (int c = 0; c < 8; ++c)
            positions.push_back({c & 1 ? high.x : low.x, c & 2 ? high.y : low.y, c & 4 ? high.z : low.z});
        const std::uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                           {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
        for (const auto& q : quads) {
            triangles.push_back({first + q[0], first + q[1], first + q[2]});
            triangles.push_back({first + q[0], first + q[2], first + q[3]});
            tags.insert(tags.end(), 2, tag);
        }
    }
    RayTree tree() const { return {positions, triangles, tags}; }
};

TEST(RayTree, FindsEveryCrossingInOrderWithItsSide) {
    Soup soup;
    soup.addBox({0, 0, 0}, {1, 1, 1}, 3);
    soup.addBox({2, 0, 0}, {3, 1, 1}, 7);
    std::vector<Crossing> found;
    soup.tree().crossings({-1, 0.3, 0.4}, {2, 0, 0}, kFar, found);
    ASSERT_EQ(found.size(), 4u);
    const double at[] = {0.5, 1, 1.5, 2};
    for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_DOUBLE_EQ(found[k].t, at[k]);
        EXPECT_EQ(found[k].leaving, k % 2 ? 1 : -1);
        EXPECT_EQ(found[k].tag, k < 2 ? 3u : 7u);
    }
    soup.tree().crossings({-1, 0.3, 0.4}, {2, 0, 0}, 1.2, found);
    EXPECT_EQ(found.size(), 2u);
}

TEST(RayTree, EdgesAndCornersCountOnce) {
    Soup soup;
    soup.addBox({0, 0, 0}, {1, 1, 1}, 0);
    std::vector<Crossing> found;
    soup.tree().crossings({0.5, 0.5, -1}, {0, 0, 1}, kFar, found);  // through the diagonals of two faces
    ASSERT_EQ(found.size(), 2u);
    soup.tree().crossings({-1, -1, -1}, {1, 1, 1}, kFar, found);  // through two corners
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].leaving + found[1].leaving, 0);
}

TEST(RayTree, AgreesWithLookingAtEveryTriangle) {
    Soup soup;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> coordinate(-1, 1);
    const auto point = [&] { return Vec3d(coordinate(random), coordinate(random), coordinate(random)); };
    for (std::uint32_t t = 0; t < 500; ++t) {
        const Vec3d corner = point();
        for (int k = 0; k < 3; ++k) soup.positions.push_back(corner + point() * 0.3);
        soup.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
        soup.tags.push_back(t);
    }
    const RayTree tree = soup.tree();
    std::vector<Crossing> found, alone;
    for (int ray = 0; ray < 200; ++ray) {
        const Vec3d origin = point(), direction = point();
        std::vector<std::uint32_t> expected, tags;
        for (std::uint32_t t = 0; t < 500; ++t) {
            RayTree(soup.positions, {&soup.triangles[t], 1}, {&soup.tags[t], 1}).crossings(origin, direction, 2, alone);
            for (const Crossing& c : alone) expected.push_back(c.tag);
        }
        tree.crossings(origin, direction, 2, found);
        for (std::size_t k = 0; k < found.size(); ++k) {
            tags.push_back(found[k].tag);
            if (k > 0) {
                EXPECT_LE(found[k - 1].t, found[k].t);
            }
        }
        std::sort(tags.begin(), tags.end());
        EXPECT_EQ(tags, expected);
    }
}

TEST(RayTree, ABoxEnclosesItsInsideEvenWithAHole) {
    Soup soup;
    soup.addBox({0, 0, 0}, {1, 1, 1}, 4);
    soup.addBox({0.5, 0, 0}, {2, 1, 1}, 9);
    const Enclosure both = enclosureOf(soup.tree(), {0.7, 0.4, 0.6});
    EXPECT_EQ(both.winding, 2);
    EXPECT_EQ(both.tags, (std::vector<std::uint32_t>{4, 9}));
    EXPECT_EQ(enclosureOf(soup.tree(), {0.2, 0.4, 0.6}).tags, (std::vector<std::uint32_t>{4}));
    EXPECT_EQ(enclosureOf(soup.tree(), {-0.2, 0.4, 0.6}).winding, 0);
    soup.triangles.resize(10);  // the first box alone, without its top
    soup.tags.resize(10);
    EXPECT_EQ(enclosureOf(soup.tree(), {0.4, 0.4, 0.3}).winding, 1);
    EXPECT_EQ(enclosureOf(soup.tree(), {0.4, 0.4, 1.3}).winding, 0);
}

TEST(RayTree, BearsNothingNoNumbersAndRefusesWrongTriangles) {
    std::vector<Crossing> found(1);
    const RayTree empty({}, {}, {});
    EXPECT_TRUE(empty.empty());
    empty.crossings({}, {1, 0, 0}, kFar, found);
    EXPECT_TRUE(found.empty());
    Soup soup;
    soup.addBox({0, 0, 0}, {1, 1, 1}, 0);
    soup.positions[7].x = std::numeric_limits<double>::quiet_NaN();
    soup.tree().crossings({-1, 0.2, 0.1}, {1, 0, 0}, kFar, found);
    EXPECT_GE(found.size(), 1u);
    soup.triangles[0][1] = 8;
    EXPECT_THROW(soup.tree(), Error);
}

}  // namespace
}  // namespace pelt::geometry
