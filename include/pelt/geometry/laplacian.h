#pragma once

#include <pelt/core/smoothing_kinds.h>
#include <pelt/geometry/adjacency.h>

namespace pelt::geometry {

using pelt::LaplacianKind;

/// The symmetric, positive semidefinite Laplacian of a mesh in compressed rows: L_ij = -weights on edges, L_ii =
/// diagonal = the sum of its row's weights (0 for an isolated vertex).
struct Laplacian {
    Adjacency edges;
    std::vector<double> weights;   ///< one per entry of edges.neighbors, never negative, w_ij and w_ji bit-identical
    std::vector<double> diagonal;  ///< one per vertex

    std::size_t vertexCount() const { return diagonal.size(); }
};

/// `positions` and `triangles` of the welded mesh. A face without area adds no cotangents; duplicate faces and all
/// faces of a non-manifold edge add theirs. Throws Error (bad input) for a triangle with a missing vertex.
Laplacian makeLaplacian(LaplacianKind kind, std::span<const Vec3f> positions, std::span<const Triangle> triangles);

}  // namespace pelt::geometry
