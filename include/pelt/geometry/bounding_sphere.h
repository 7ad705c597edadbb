#pragma once

#include <pelt/geometry/bounding_box.h>

namespace pelt::geometry {

struct Sphere {
    Vec3d center;
    double radius = 0;
};

/// The smallest ball that holds every point (exact to rounding); radius 0 for none or one. Points that
/// are not finite are left out.
Sphere smallestEnclosingSphere(std::span<const Vec3f> points);

/// All in one plane: a sheet, which has no volume.
bool isFlat(std::span<const Vec3f> points);

}  // namespace pelt::geometry
