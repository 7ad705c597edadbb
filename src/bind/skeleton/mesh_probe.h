#pragma once

#include <pelt/geometry/ray_tree.h>

namespace pelt::bind {

/// How much of a line lies inside the mesh.
double shareInside(const geometry::RayTree& tree, const Vec3d& from, const Vec3d& to);

/// How far the bone continues from `start` inside the mesh or along one of the `sheets` (by tag), at most `limit`; 0 if
/// it starts outside.
double lengthInside(const geometry::RayTree& tree, const Vec3d& start, const Vec3d& direction, double step,
                    double limit, const std::vector<bool>& sheets = {}, double beside = 0);

/// The distance of the skin from the point, perpendicular to the direction: the median of eight directions; 0 if most
/// of them find none.
double radiusAround(const geometry::RayTree& tree, const Vec3d& point, const Vec3d& direction, double diagonal);

}  // namespace pelt::bind
