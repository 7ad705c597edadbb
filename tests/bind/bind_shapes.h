#pragma once

#include <pelt/core/mesh.h>
#include <pelt/rig/skeleton.h>

#include <cmath>
#include <numbers>

namespace pelt::bind {

/// Joints at these positions, unrotated; parents as indices.
inline Skeleton skeletonOf(const std::vector<Vec3d>& positions, const std::vector<std::int32_t>& parents) {
    Skeleton skeleton;
    for (std::uint32_t j = 0; j < positions.size(); ++j) {
        SkeletonNode node;
        node.name = "joint" + std::to_string(j);
        node.parent = parents[j];
        node.local.translation = positions[j] - (parents[j] < 0 ? Vec3d{} : positions[std::size_t(parents[j])]);
        skeleton.nodes.push_back(node);
        skeleton.joints.push_back({j, Affine3d(Mat3d{}, -positions[j])});
    }
    return skeleton;
}

/// Appends a closed tube of the given radius from `from` to `to`, faces outward. Returns its first vertex.
inline std::uint32_t addTube(Mesh& mesh, const Vec3d& from, const Vec3d& to, double radius, std::uint32_t rings = 24,
                             std::uint32_t sides = 16) {
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    const Vec3d along = normalized(to - from);
    const Vec3d u = normalized(cross(along, std::abs(along.x) < 0.7 ? Vec3d(1, 0, 0) : Vec3d(0, 1, 0)));
    const Vec3d v = cross(along, u);
    for (std::uint32_t r = 0; r < rings; ++r) {
        const Vec3d center = from + (to - from) * (r / (rings - 1.0));
        for (std::uint32_t s = 0; s < sides; ++s) {
            const double angle = 2 * std::numbers::pi * s / sides;
            mesh.positions.emplace_back(center + (u * std::cos(angle) + v * std::sin(angle)) * radius);
        }
    }
    const auto at = [&](std::uint32_t r, std::uint32_t s) { return first + r * sides + s % sides; };
    for (std::uint32_t r = 0; r + 1 < rings; ++r) {
        for (std::uint32_t s = 0; s < sides; ++s) {
            mesh.triangles.push_back({at(r, s), at(r, s + 1), at(r + 1, s)});
            mesh.triangles.push_back({at(r, s + 1), at(r + 1, s + 1), at(r + 1, s)});
        }
    }
    const auto low = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.emplace_back(from);
    mesh.positions.emplace_back(to);
    for (std::uint32_t s = 0; s < sides; ++s) {
        mesh.triangles.push_back({low, at(0, s + 1), at(0, s)});
        mesh.triangles.push_back({low + 1, at(rings - 1, s), at(rings - 1, s + 1)});
    }
    return first;
}

}  // namespace pelt::bind
