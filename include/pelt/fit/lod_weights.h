#pragma once

#include <pelt/core/skin_weights.h>
#include <pelt/geometry/ray_tree.h>

#include <span>

namespace pelt::fit {

/// Weights of a simplified mesh with which its surface follows the original one: the least squares solution of
///     |B W - W_original|² + 0.1 |W - W_own|²,
/// where B interpolates on the simplified surface at the points that correspond to the original vertices. `places` has
/// one per original vertex, on `triangles` over points of the simplified mesh; `own` has the weights of these points.
/// Negative weights become 0 and sums 1; each point keeps its `influences` heaviest joints.
SkinWeights solveLodWeights(std::span<const geometry::SurfacePlace> places, std::span<const Triangle> triangles,
                            const SkinWeights& original, const SkinWeights& own, std::size_t influences);

}  // namespace pelt::fit
