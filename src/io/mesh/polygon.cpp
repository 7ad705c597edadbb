// Ear clipping after G. H. Meisters, "Polygons have ears" (1975): a simple polygon of more than three corners has two
// ears, so cutting off one at a time leaves a simple polygon. Ear flags are kept, so each cut tests two corners only.

#include "polygon.h"

#include <cmath>
#include <limits>

namespace pelt::io {
namespace {

/// Beyond this, the quadratic search is not worth it and the polygon is cut as a fan.
constexpr std::size_t kMostCornersToClip = 10000;

struct Point {
    double x, y;
};

double cross2(const Point& a, const Point& b, const Point& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// The corners projected along the axis with the largest component of the polygon's area vector (Newell), in
/// counterclockwise order; empty if the area is zero.
std::vector<Point> project(std::span<const std::uint32_t> corners, std::span<const Vec3f> positions) {
    const Vec3d origin(positions[corners[0]]);
    Vec3d area;
    for (std::size_t i = 1; i + 1 < corners.size(); ++i)
        area += cross(Vec3d(positions[corners[i]]) - origin, Vec3d(positions[corners[i + 1]]) - origin);
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (std::abs(area[k]) > std::abs(area[axis])) axis = k;
    if (!(std::abs(area[axis]) > 0)) return {};
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double side = area[axis] > 0 ? 1 : -1;
    std::vector<Point> points;
    points.reserve(corners.size());
    for (const std::uint32_t corner : corners) {
        const Vec3d p = Vec3d(positions[corner]) - origin;
        points.push_back({p[u] * side, p[v]});
    }
    return points;
}

void appendFan(std::span<const std::uint32_t> corners, std::vector<Triangle>& triangles) {
    for (std::size_t i = 1; i + 1 < corners.size(); ++i) triangles.push_back({corners[0], corners[i], corners[i + 1]});
}

/// Whether every corner turns left and the outline goes around once: the edge directions cross the positive x axis
/// once.
bool isStrictlyConvex(const std::vector<Point>& p) {
    const std::size_t n = p.size();
    int rounds = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Point &a = p[i], &b = p[(i + 1) % n], &c = p[(i + 2) % n];
        if (!(cross2(a, b, c) > 0)) return false;
        rounds += b.y - a.y < 0 && c.y - b.y >= 0;
    }
    return rounds == 1;
}

class EarClipper {
public:
    explicit EarClipper(const std::vector<Point>& points) : p_(points), n_(points.size()), ear_(n_) {
        for (std::size_t i = 0; i < n_; ++i) {
            next_.push_back((i + 1) % n_);
            previous_.push_back((i + n_ - 1) % n_);
        }
        for (std::size_t i = 0; i < n_; ++i) ear_[i] = isEar(i);
    }

    void clip(std::span<const std::uint32_t> corners, std::vector<Triangle>& triangles) {
        std::size_t start = 0;
        std::size_t left = n_;
        for (; left > 3; --left) {
            const std::size_t best = shortestEar(start);
            if (best == n_) break;
            const std::size_t before = previous_[best], after = next_[best];
            triangles.push_back({corners[before], corners[best], corners[after]});
            next_[before] = after;
            previous_[after] = before;
            ear_[before] = isEar(before);
            ear_[after] = isEar(after);
            if (best == start) start = after;
        }
        std::vector<std::uint32_t> rest;
        for (std::size_t i = start; rest.size() < left; i = next_[i]) rest.push_back(corners[i]);
        appendFan(rest, triangles);
    }

private:
    bool isEar(std::size_t i) const {
        const std::size_t before = previous_[i], after = next_[i];
        const Point &a = p_[before], &b = p_[i], &c = p_[after];
        if (!(cross2(a, b, c) > 0)) return false;
        for (std::size_t k = next_[after]; k != before; k = next_[k]) {
            const Point& q = p_[k];
            const bool is_corner = (q.x == a.x && q.y == a.y) || (q.x == c.x && q.y == c.y);
            if (!is_corner && cross2(a, b, q) >= 0 && cross2(b, c, q) >= 0 && cross2(c, a, q) >= 0) return false;
        }
        return true;
    }

    /// n_ if no ear is left.
    std::size_t shortestEar(std::size_t start) const {
        std::size_t best = n_;
        double shortest = std::numeric_limits<double>::infinity();
        std::size_t i = start;
        do {
            const Point &a = p_[previous_[i]], &c = p_[next_[i]];
            const double diagonal = std::hypot(c.x - a.x, c.y - a.y);
            if (ear_[i] && diagonal < shortest) {
                best = i;
                shortest = diagonal;
            }
            i = next_[i];
        } while (i != start);
        return best;
    }

    const std::vector<Point>& p_;
    std::size_t n_;
    std::vector<std::size_t> next_, previous_;
    std::vector<char> ear_;
};

}  // namespace

void appendPolygon(std::span<const std::uint32_t> corners, std::span<const Vec3f> positions,
                   std::vector<Triangle>& triangles) {
    if (corners.size() == 3 || corners.size() > kMostCornersToClip) return appendFan(corners, triangles);
    const std::vector<Point> points = project(corners, positions);
    if (points.empty() || isStrictlyConvex(points)) return appendFan(corners, triangles);
    EarClipper(points).clip(corners, triangles);
}

}  // namespace pelt::io
