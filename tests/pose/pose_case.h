#pragma once

#include <pelt/geometry/bounding_sphere.h>
#include <pelt/pose/pose.h>
#include <pelt/rig/character.h>

#include <cmath>
#include <string>
#include <vector>

#include "made_scene.h"

namespace pelt::pose {

constexpr Energy kSurfaceEnergies[] = {Energy::triangles, Energy::spokes, Energy::spokes_and_rims};

/// A built-in character with smooth weights.
inline Character posed(const char* scene, std::size_t resolution) { return smoothScene(scene, resolution); }

inline Shape shapeOf(const Character& character) {
    return {character.mesh.positions, character.mesh.triangles, &character.weights, character.skeleton.joints.size()};
}

inline Constraint whole(std::size_t handle) { return {ConstraintKind::transform, std::uint32_t(handle), {}, {}}; }

inline Constraint at(std::size_t handle, const Vec3d& point) {
    return {ConstraintKind::position, std::uint32_t(handle), point, {}};
}

inline Constraint mean(std::vector<std::uint32_t> vertices) {
    return {ConstraintKind::vertices, 0, {}, std::move(vertices)};
}

/// The vertex nearest to a place.
inline std::uint32_t vertexAt(const Character& character, const Vec3d& place) {
    std::uint32_t nearest = 0;
    for (std::uint32_t v = 0; v < character.mesh.positions.size(); ++v)
        if (length(Vec3d(character.mesh.positions[v]) - place) <
            length(Vec3d(character.mesh.positions[nearest]) - place))
            nearest = v;
    return nearest;
}

inline Affine3d turnAbout(const Vec3d& center, const Vec3d& axis, double degrees, const Vec3d& shift = {}) {
    const double half = degrees * 3.14159265358979323846 / 360;
    const Vec3d a = normalized(axis) * std::sin(half);
    const Mat3d r = toMatrix(Quatd{a.x, a.y, a.z, std::cos(half)});
    return {r, center - r * center + shift};
}

inline double diagonalOf(const Character& character) { return geometry::boundingDiagonal(character.mesh.positions); }

/// Where the vertices of a solved pose are.
template <class T>
std::vector<Vec3d> verticesOf(const PoseRig& rig, const Solver<T>& solver, std::size_t count) {
    std::vector<Affine3<T>> transforms(rig.handleCount() + rig.extraCount());
    solver.transforms(transforms);
    std::vector<Affine3d> wide;
    for (const auto& t : transforms) wide.emplace_back(t);
    std::vector<Vec3d> out(count);
    evaluate(rig, wide, out);
    return out;
}

/// A flat sheet of n x n quads in the plane z = height, with weights that go over from one handle (left) to another.
inline Character flatSheet(std::uint32_t n, float height = 0) {
    Character sheet;
    for (std::uint32_t y = 0; y <= n; ++y)
        for (std::uint32_t x = 0; x <= n; ++x) {
            const float u = float(x) / float(n);
            sheet.mesh.positions.emplace_back(u, 0.4f * float(y) / float(n), height);
            const float w = u < 0.3f ? 1 : u > 0.7f ? 0 : (0.7f - u) / 0.4f;
            const std::uint32_t joints[] = {0, 1};
            const float values[] = {w * w * (3 - 2 * w), 1 - w * w * (3 - 2 * w)};
            appendVertex(sheet.weights, joints, values);
            const std::uint32_t v = y * (n + 1) + x;
            if (x < n && y < n) {
                sheet.mesh.triangles.push_back({v, v + 1, v + n + 2});
                sheet.mesh.triangles.push_back({v, v + n + 2, v + n + 1});
            }
        }
    sheet.skeleton.nodes.resize(2);
    sheet.skeleton.joints.resize(2);
    return sheet;
}

}  // namespace pelt::pose
