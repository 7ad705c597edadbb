// Figures cut out of pictures.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/geometry/flat_figure.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace pelt::geometry {
namespace {

/// A picture of what is inside a shape, whose function is the distance outside of it in pixels.
struct DrawnShape {
    std::size_t width, height;
    std::vector<std::uint8_t> values;

    DrawnShape(std::size_t w, std::size_t h, const std::function<double(double, double)>& distance)
        : width(w), height(h) {
        for (std::size_t y = 0; y < h; ++y)
            for (std::size_t x = 0; x < w; ++x) {
                const double cover = std::clamp(0.5 - distance(double(x) + 0.5, double(y) + 0.5), 0.0, 1.0);
                values.push_back(std::uint8_t(255 * cover));
            }
    }
    FlatFigure cut(std::size_t triangles) const { return cutFigure({width, height, values}, triangles); }
    double area() const {
        double sum = 0;
        for (const std::uint8_t value : values) sum += value / 255.0;
        return sum;
    }
};

double circle(double x, double y, double at_x, double at_y, double radius) {
    return std::hypot(x - at_x, y - at_y) - radius;
}

/// A body with two legs, a thin sword and an eye that is a hole.
double hero(double x, double y) {
    const auto limb = [&](double ax, double ay, double bx, double by, double r) {
        const double length = (bx - ax) * (bx - ax) + (by - ay) * (by - ay);
        const double t = std::clamp(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length, 0.0, 1.0);
        return std::hypot(x - ax - (bx - ax) * t, y - ay - (by - ay) * t) - r;
    };
    const double body =
        std::min({circle(x, y, 150, 60, 45), limb(150, 110, 150, 250, 35), limb(140, 250, 110, 390, 20),
                  limb(160, 250, 190, 390, 20), limb(150, 130, 260, 200, 16), limb(260, 200, 285, 60, 2)});
    return std::max(body, -circle(x, y, 135, 55, 7));
}

double areaOfFigure(const FlatFigure& figure) {
    double twice = 0;
    for (const Triangle& t : figure.triangles) {
        const auto &a = figure.points[t[0]], &b = figure.points[t[1]], &c = figure.points[t[2]];
        const double one = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        EXPECT_GT(one, 0) << "a triangle is turned over or has no area";
        twice += one;
    }
    return twice / 2;
}

/// The number of closed lines of edges with one triangle: outlines of islands and of holes.
std::size_t outlineCount(const FlatFigure& figure) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const Triangle& t : figure.triangles)
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_TRUE(edges.insert({t[k], t[(k + 1) % 3]}).second) << "two triangles on one side of an edge";
    std::map<std::uint32_t, std::uint32_t> next;
    for (const auto& [a, b] : edges)
        if (!edges.contains({b, a})) {
            EXPECT_TRUE(next.emplace(a, b).second) << "outlines touch";
        }
    std::size_t count = 0;
    while (!next.empty()) {
        ++count;
        for (std::uint32_t at = next.begin()->first; next.contains(at);) {
            const std::uint32_t following = next[at];
            next.erase(at);
            at = following;
        }
    }
    return count;
}

double sharpestAngle(const FlatFigure& figure) {
    double least = 180;
    for (const Triangle& t : figure.triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            const auto &p = figure.points[t[k]], &a = figure.points[t[(k + 1) % 3]], &b = figure.points[t[(k + 2) % 3]];
            const double cos = ((a.x - p.x) * (b.x - p.x) + (a.y - p.y) * (b.y - p.y)) /
                               (std::hypot(a.x - p.x, a.y - p.y) * std::hypot(b.x - p.x, b.y - p.y));
            least = std::min(least, std::acos(cos) * 57.29577951308232);
        }
    return least;
}

}  // namespace

TEST(FlatFigures, HaveAboutAsManyTrianglesAsAskedForAndNoSharpCorner) {
    const DrawnShape drawn(300, 420, hero);
    for (const std::size_t asked : {300, 1000, 6000}) {
        const FlatFigure figure = drawn.cut(asked);
        EXPECT_NEAR(double(figure.triangles.size()), double(asked), 0.1 * double(asked));
        EXPECT_GE(sharpestAngle(figure), kLeastAngle);
        EXPECT_NEAR(figure.smallest_angle, sharpestAngle(figure), 1e-6);
    }
}

TEST(FlatFigures, CoverWhatIsSeenAndLittleMore) {
    const DrawnShape drawn(300, 420, hero);
    const FlatFigure figure = drawn.cut(1000);
    EXPECT_NEAR(areaOfFigure(figure) / drawn.area(), 1.01, 0.02);
    for (std::size_t y = 0; y < drawn.height; ++y)
        for (std::size_t x = 0; x < drawn.width; ++x) {
            if (drawn.values[y * drawn.width + x] < 250) continue;
            const double px = double(x) + 0.5, py = double(drawn.height - y) - 0.5;
            bool covered = false;
            for (const Triangle& t : figure.triangles) {
                const auto side = [&](std::uint32_t i, std::uint32_t j) {
                    const auto &a = figure.points[i], &b = figure.points[j];
                    return (b.x - a.x) * (py - a.y) - (b.y - a.y) * (px - a.x);
                };
                covered = side(t[0], t[1]) >= 0 && side(t[1], t[2]) >= 0 && side(t[2], t[0]) >= 0;
                if (covered) break;
            }
            ASSERT_TRUE(covered) << "pixel " << x << ", " << y;
        }
}

TEST(FlatFigures, KeepHolesAndIslands) {
    EXPECT_EQ(outlineCount(DrawnShape(300, 420, hero).cut(1000)), 2u) << "the figure and its eye";
    const DrawnShape islands(256, 256, [](double x, double y) {
        const double ring = std::max(circle(x, y, 60, 60, 40), -circle(x, y, 60, 60, 15));
        return std::min({ring, circle(x, y, 180, 60, 50), circle(x, y, 128, 180, 60), circle(x, y, 20, 230, 6)});
    });
    for (const std::size_t asked : {100, 800}) {
        const FlatFigure figure = islands.cut(asked);
        EXPECT_EQ(figure.islands.size(), 4u);
        EXPECT_EQ(outlineCount(figure), 5u);
        std::size_t first = 0;
        std::uint32_t used = 0;  // points of an island are together too
        for (const std::size_t count : figure.islands) {
            std::uint32_t next = used;
            for (std::size_t t = first; t < first + count; ++t)
                for (const std::uint32_t p : figure.triangles[t]) {
                    EXPECT_GE(p, used);
                    next = std::max(next, p + 1);
                }
            used = next;
            first += count;
        }
        EXPECT_EQ(first, figure.triangles.size());
    }
}

TEST(FlatFigures, AreMadeOfAnyPicture) {
    const auto noisy = [](double x, double y) {
        const auto hash = std::uint64_t(x) * 7919 + std::uint64_t(y) * 104729;
        return hash * hash % 100 < 55 ? -1.0 : 1.0;
    };
    const auto spikes = [](double x, double y) {
        const double angle = std::fmod(std::atan2(y - 256, x - 256) + 10, 0.7) - 0.35;
        return std::hypot(x - 256, y - 256) - (60 + 180 * std::pow(1 - std::abs(angle) / 0.35, 3));
    };
    const DrawnShape pictures[] = {
        {48, 48, noisy},
        {512, 512, spikes},
        {600, 100, [](double x, double y) { return std::abs(y - 50) - 20 * (1 - x / 600); }},
        {64, 64, [](double, double) { return -1.0; }},
        {1, 1, [](double, double) { return -1.0; }},
        {2000, 3, [](double, double) { return -1.0; }},
    };
    for (const DrawnShape& drawn : pictures)
        for (const std::size_t asked : {2, 200, 2000}) {
            const FlatFigure figure = drawn.cut(asked);
            EXPECT_GT(areaOfFigure(figure), 0.8 * drawn.area());
            EXPECT_GE(sharpestAngle(figure), kLeastAngle) << drawn.width << " x " << drawn.height << ", " << asked;
        }
}

TEST(FlatFigures, AreTheSameEveryTime) {
    const DrawnShape drawn(300, 420, hero);
    const FlatFigure one = drawn.cut(500), other = drawn.cut(500);
    EXPECT_EQ(one.points, other.points);
    EXPECT_EQ(one.triangles, other.triangles);
}

TEST(FlatFigures, NeedAFigure) {
    const DrawnShape empty(64, 64, [](double, double) { return 1.0; });
    EXPECT_THROW(empty.cut(100), Error);
    const DrawnShape drawn(300, 420, hero);
    EXPECT_THROW(drawn.cut(0), Error);
    EXPECT_THROW(cutFigure({3, 3, std::span(drawn.values).first(8)}, 10), Error);
}

}  // namespace pelt::geometry
