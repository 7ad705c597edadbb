#pragma once

#include <pelt/rig/character.h>

#include <algorithm>

namespace pelt::scenes {

/// The smallest angle of all triangles, in degrees.
inline double smallestAngle(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
    double smallest = 180;
    for (const Triangle& t : triangles) {
        for (int c = 0; c < 3; ++c) {
            const Vec3d p(positions[t[c]]);
            const Vec3d u = Vec3d(positions[t[(c + 1) % 3]]) - p, v = Vec3d(positions[t[(c + 2) % 3]]) - p;
            smallest = std::min(smallest, std::atan2(length(cross(u, v)), dot(u, v)) * 57.29577951308232);
        }
    }
    return smallest;
}

/// Positive where a closed mesh faces outwards.
inline double signedVolume(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
    double volume = 0;
    for (const Triangle& t : triangles) {
        volume += dot(Vec3d(positions[t[0]]), cross(Vec3d(positions[t[1]]), Vec3d(positions[t[2]]))) / 6;
    }
    return volume;
}

}  // namespace pelt::scenes
