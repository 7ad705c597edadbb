#pragma once

#include <pelt/core/mesh.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace pelt::scenes {

/// Whether the segment p–q passes through the triangle.
inline bool segmentHits(const Vec3d& p, const Vec3d& q, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const auto side = [](const Vec3d& u, const Vec3d& v, const Vec3d& w, const Vec3d& x) {
        return dot(cross(v - u, w - u), x - u);
    };
    if ((side(a, b, c, p) > 0) == (side(a, b, c, q) > 0)) return false;
    const bool s = side(p, q, a, b) > 0;
    return s == (side(p, q, b, c) > 0) && s == (side(p, q, c, a) > 0);
}

/// Pairs of triangles that pass through each other; pairs with a common edge count where they are folded flat.
inline std::size_t countSelfIntersections(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
    struct Box {
        Vec3d low, high;
        std::size_t triangle;
    };
    std::vector<Box> boxes;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const Vec3d a(positions[triangles[t][0]]), b(positions[triangles[t][1]]), c(positions[triangles[t][2]]);
        Box box{a, a, t};
        for (int k = 0; k < 3; ++k)
            box.low[k] = std::min({a[k], b[k], c[k]}), box.high[k] = std::max({a[k], b[k], c[k]});
        boxes.push_back(box);
    }
    // Sweep along y, the longest way through a figure.
    std::sort(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return a.low.y < b.low.y; });
    const auto corner = [&](std::size_t t, int k) { return Vec3d(positions[triangles[t][k % 3]]); };
    const auto edgesHit = [&](std::size_t s, std::size_t t) {
        for (int k = 0; k < 3; ++k) {
            const std::uint32_t u = triangles[s][k], v = triangles[s][(k + 1) % 3];
            const auto in = [&](std::uint32_t w) {
                return std::find(triangles[t].begin(), triangles[t].end(), w) != triangles[t].end();
            };
            if (in(u) || in(v)) continue;
            if (segmentHits(corner(s, k), corner(s, k + 1), corner(t, 0), corner(t, 1), corner(t, 2))) return true;
        }
        return false;
    };
    std::size_t found = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        for (std::size_t j = i + 1; j < boxes.size() && boxes[j].low.y <= boxes[i].high.y; ++j) {
            const Box &a = boxes[i], &b = boxes[j];
            if (a.low.x > b.high.x || b.low.x > a.high.x || a.low.z > b.high.z || b.low.z > a.high.z) continue;
            int common = 0;
            for (const std::uint32_t u : triangles[a.triangle])
                for (const std::uint32_t v : triangles[b.triangle]) common += u == v;
            if (common < 2) {
                found += edgesHit(a.triangle, b.triangle) || edgesHit(b.triangle, a.triangle);
                continue;
            }
            const auto normal = [&](std::size_t t) {
                return normalized(cross(corner(t, 1) - corner(t, 0), corner(t, 2) - corner(t, 0)));
            };
            found += dot(normal(a.triangle), normal(b.triangle)) < -0.98;
        }
    }
    return found;
}

}  // namespace pelt::scenes
