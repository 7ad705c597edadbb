#pragma once

#include <pelt/core/mesh.h>

#include <cmath>
#include <numbers>

/// A sphere of radius 1 with outward faces.
inline pelt::Mesh makeSphere(int rings = 24, float radius = 1) {
    pelt::Mesh mesh;
    const int turns = 2 * rings;
    for (int r = 0; r <= rings; ++r)
        for (int t = 0; t < turns; ++t) {
            const float a = std::numbers::pi_v<float> * static_cast<float>(r) / static_cast<float>(rings);
            const float b = 2 * std::numbers::pi_v<float> * static_cast<float>(t) / static_cast<float>(turns);
            mesh.positions.push_back(pelt::Vec3f(std::sin(a) * std::cos(b), std::cos(a), std::sin(a) * std::sin(b)) *
                                     radius);
        }
    for (int r = 0; r < rings; ++r)
        for (int t = 0; t < turns; ++t) {
            const auto a = static_cast<std::uint32_t>(r * turns + t),
                       b = static_cast<std::uint32_t>(r * turns + (t + 1) % turns);
            const auto down = static_cast<std::uint32_t>(turns);
            mesh.triangles.push_back({a, b, a + down});
            mesh.triangles.push_back({b, b + down, a + down});
        }
    return mesh;
}

/// Two half planes that meet along the x axis like an open book seen from +z; `fold` is how far each page comes
/// forward.
inline pelt::Mesh makeBook(float fold) {
    pelt::Mesh mesh;
    mesh.positions = {{-1, 0, 0}, {1, 0, 0}, {-1, 1, fold}, {1, 1, fold}, {-1, -1, fold}, {1, -1, fold}};
    mesh.triangles = {{0, 1, 2}, {1, 3, 2}, {4, 5, 0}, {5, 1, 0}};
    return mesh;
}
