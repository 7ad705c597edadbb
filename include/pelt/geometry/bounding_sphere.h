#pragma once

#include <pelt/geometry/bounding_box.h>

#include <optional>

namespace pelt::geometry {

struct Sphere {
    Vec3d center;
    double radius = 0;
};

/// The smallest sphere that contains all points (exact up to rounding); radius 0 for none or one. Points that are not
/// finite are ignored.
Sphere smallestEnclosingSphere(std::span<const Vec3f> points);

/// Whether all points lie in one plane: such a mesh has no volume.
bool isFlat(std::span<const Vec3f> points);

/// Relative to the size of a shape: a distance from its plane that does not count.
inline constexpr double kFlat = 1e-5;

/// The unit normal of that plane; nullopt if there is none, or points are on one line.
std::optional<Vec3d> planeNormal(std::span<const Vec3f> points);

}  // namespace pelt::geometry
