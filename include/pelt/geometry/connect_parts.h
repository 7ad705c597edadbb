#pragma once

#include <pelt/geometry/laplacian.h>

namespace pelt::geometry {

/// An edge that the mesh does not have.
struct ExtraEdge {
    std::uint32_t a = 0, b = 0;
    double weight = 1;  ///< of the Laplacian, positive
};

/// How parts that lie side by side hold together.
struct PartTies {
    std::vector<ExtraEdge> edges;
    std::vector<bool> rigid;  ///< per vertex: of a part with one label, to be left unsmoothed; empty without edges
};

/// Ties parts together as [LeLewis19] Fig. 6 does: each vertex to the nearest vertex of another part that has the same
/// label (bone), no farther than two mean edges or half a per cent of the diagonal away. Ties weigh as much as the
/// edges around them. A part with one label throughout is rigid: it holds others and is not tied to its like. A vertex
/// with label kNoLabel is left alone. `positions` and `labels` have one entry per vertex of the (welded) Laplacian.
constexpr std::uint32_t kNoLabel = ~std::uint32_t(0);
PartTies tieParts(const Laplacian& laplacian, std::span<const Vec3f> positions, std::span<const std::uint32_t> labels);

/// The Laplacian with more edges; one that is there already gets heavier, one from a vertex to itself is ignored.
/// Throws Error (bad usage) for a missing vertex or a weight that is not positive.
Laplacian withEdges(const Laplacian& laplacian, std::span<const ExtraEdge> edges);

}  // namespace pelt::geometry
