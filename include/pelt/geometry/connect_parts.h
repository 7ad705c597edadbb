#pragma once

#include <pelt/geometry/laplacian.h>

namespace pelt::geometry {

/// An edge that the mesh does not have.
struct ExtraEdge {
    std::uint32_t a = 0, b = 0;
    double weight = 1;  ///< of the Laplacian, positive
};

/// Connections between parts that lie side by side.
struct PartTies {
    std::vector<ExtraEdge> edges;
    std::vector<bool> rigid;  ///< per vertex: belongs to a part with a single label, which is not smoothed; empty if
                              ///< there are no edges
};

/// Connects parts as in [LeLewis19] Fig. 6: each vertex to the nearest vertex of another part with the same label
/// (bone), within two mean edges or 0.5 % of the diagonal. The new edges have weights similar to those around them. A
/// part with a single label is rigid: other parts are connected to it, but rigid parts not to each other. A vertex with
/// label kNoLabel is not connected. `positions` and `labels` have one entry per vertex of the (welded) Laplacian.
constexpr std::uint32_t kNoLabel = ~std::uint32_t(0);
PartTies tieParts(const Laplacian& laplacian, std::span<const Vec3f> positions, std::span<const std::uint32_t> labels);

/// The Laplacian with additional edges; the weight of an existing edge increases, an edge from a vertex to itself is
/// ignored. Throws Error (bad usage) for a missing vertex or a weight that is not positive.
Laplacian withEdges(const Laplacian& laplacian, std::span<const ExtraEdge> edges);

}  // namespace pelt::geometry
