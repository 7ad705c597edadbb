#pragma once

#include <pelt/core/vec.h>

#include <span>

namespace pelt::geometry {

struct Sphere {
    Vec3d center;
    double radius = 0;
};

/// The smallest ball that holds every point (exact to rounding); radius 0 for none or one. Points that
/// are not finite are left out.
Sphere smallestEnclosingSphere(std::span<const Vec3f> points);

struct Box {
    Vec3d low, high;
};

/// The smallest box along the axes that holds every point; a point at 0 for none. Points that are not finite are left
/// out.
Box boundingBox(std::span<const Vec3f> points);

/// The length of that box's diagonal.
double boundingDiagonal(std::span<const Vec3f> points);

/// All in one plane: a sheet, which has no volume.
bool isFlat(std::span<const Vec3f> points);

}  // namespace pelt::geometry
