#pragma once

#include <pelt/core/mesh.h>
#include <pelt/geometry/weld.h>

#include <random>

namespace pelt::geometry {

inline std::vector<Vec3f> randomPoints(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> coordinate(-1, 1);
    std::vector<Vec3f> points(count);
    for (Vec3f& p : points) p = {coordinate(random), coordinate(random), coordinate(random)};
    return points;
}

/// A flat grid of (n + 1)^2 vertices in the unit square, facing +z.
inline Mesh gridMesh(std::uint32_t n) {
    Mesh mesh;
    for (std::uint32_t y = 0; y <= n; ++y) {
        for (std::uint32_t x = 0; x <= n; ++x) mesh.positions.push_back({float(x) / float(n), float(y) / float(n), 0});
    }
    for (std::uint32_t y = 0; y < n; ++y) {
        for (std::uint32_t x = 0; x < n; ++x) {
            const std::uint32_t a = y * (n + 1) + x, b = a + 1, c = a + n + 1, d = c + 1;
            mesh.triangles.push_back({a, b, d});
            mesh.triangles.push_back({a, d, c});
        }
    }
    return mesh;
}

/// A cube with four vertices per side, as a file with normals has it: 24 vertices at 8 positions, facing outwards.
inline Mesh splitCube() {
    Mesh mesh;
    for (int axis = 0; axis < 3; ++axis) {
        for (const float side : {-1.0f, 1.0f}) {
            const auto first = static_cast<std::uint32_t>(mesh.positions.size());
            for (int corner = 0; corner < 4; ++corner) {
                Vec3f p;
                p[axis] = side;
                p[(axis + 1) % 3] = corner == 1 || corner == 2 ? 1.0f : -1.0f;
                p[(axis + 2) % 3] = corner >= 2 ? 1.0f : -1.0f;
                mesh.positions.push_back(p);
            }
            if (side > 0) {
                mesh.triangles.push_back({first, first + 1, first + 2});
                mesh.triangles.push_back({first, first + 2, first + 3});
            } else {
                mesh.triangles.push_back({first, first + 2, first + 1});
                mesh.triangles.push_back({first, first + 3, first + 2});
            }
        }
    }
    return mesh;
}

}  // namespace pelt::geometry
