#pragma once

#include "coarse_clusters.h"

namespace pelt::geometry {

/// The Laplacian over patches of a surface whose own has cotangents. The patch of the lower number decides what an edge
/// weighs.
Laplacian patchLaplacian(const Laplacian& laplacian, std::span<const Vec3f> positions, const Clusters& clusters);

}  // namespace pelt::geometry
