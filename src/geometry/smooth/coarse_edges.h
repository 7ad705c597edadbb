#pragma once

#include "coarse_clusters.h"

namespace pelt::geometry {

/// The Laplacian over patches of a surface, from the cotangent Laplacian of the surface. The patch with the lower
/// number determines the weight of an edge.
Laplacian patchLaplacian(const Laplacian& laplacian, std::span<const Vec3f> positions, const Clusters& clusters);

}  // namespace pelt::geometry
