#pragma once

#include <pelt/geometry/bounding_box.h>

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

}  // namespace pelt::geometry
