#pragma once

#include <pelt/geometry/weld.h>

namespace pelt::geometry {

/// Unit normals, one per vertex: the mean of the face normals around the welded vertex, weighted by the angle of each
/// corner. A vertex without a face of non-zero area gets (0, 0, 1).
std::vector<Vec3f> angleWeightedNormals(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                                        const Weld& weld);

}  // namespace pelt::geometry
