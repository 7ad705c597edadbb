#pragma once

#include <pelt/core/mesh.h>

#include <cstdint>
#include <span>
#include <vector>

namespace pelt::io {

/// Appends the corners.size() − 2 triangles of a polygon, with the same winding. A strictly convex polygon is cut as a
/// fan from its first corner, any other by ear clipping in its plane (shortest diagonal first); one without area, or
/// with self-intersections that leave no ear, is finished as a fan. `corners` (at least 3) must be valid indices of
/// `positions`.
void appendPolygon(std::span<const std::uint32_t> corners, std::span<const Vec3f> positions,
                   std::vector<Triangle>& triangles);

}  // namespace pelt::io
