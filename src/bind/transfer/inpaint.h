#pragma once

#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>
#include <pelt/geometry/laplacian.h>

#include "bind/rigid/bind_surface.h"

namespace pelt::bind::transfer {

/// The edges along which weights spread over a surface, also from one part to the next.
struct FillGraph {
    geometry::Laplacian laplacian;
    geometry::ConnectedParts regions;  ///< joined by these edges
};

/// `labels`: per welded vertex, the joint it belongs to: parts are joined where they have the same one.
FillGraph fillGraph(const BindSurface& surface, std::span<const std::uint32_t> labels);

/// The smoothest weights with given ones at some vertices [Abdrashitov23]: for every joint, the minimum of
/// wᵀ (L + L M⁻¹ L) w over the surface, scaled to diagonal 1; then negative values become 0 and sums 1. `given`: one
/// row per welded vertex, empty at those to fill. Every region must have a vertex that is given. Throws Error
/// (cancelled) if `progress` requests it.
SkinWeights inpaint(const BindSurface& surface, const FillGraph& graph, const SkinWeights& given,
                    const Progress& progress);

}  // namespace pelt::bind::transfer
