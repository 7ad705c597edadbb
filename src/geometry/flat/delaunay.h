#pragma once

#include <pelt/core/mesh.h>

#include <span>
#include <vector>

#include "plane.h"

namespace pelt::geometry::flat {

/// The Delaunay triangulation of points, by Boost.Polygon: counterclockwise triangles that cover their convex hull.
/// Points closer than a 2^-28th of their extent count as one.
std::vector<Triangle> delaunay(std::span<const Point> points);

}  // namespace pelt::geometry::flat
