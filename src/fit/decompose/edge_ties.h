#pragma once

#include <pelt/core/mesh.h>
#include <pelt/geometry/adjacency.h>

#include "simplex_solver.h"
#include "trajectories.h"

namespace pelt::fit::ssdr {

using VertexWeights = std::vector<SimplexSolver::Weights>;  ///< one per vertex

/// The part of the objective that keeps faces from rotating. With r_i the residual of vertex i in all frames,
///     Σ_i m_i |r_i|² + Σ_{edges ij} c_ij |r_i - r_j|²,
/// where r_i - r_j is the error of the edge vector, and c_ij is proportional to the inverse square of its length: an
/// angle costs the same on short edges as on long ones.
struct EdgeTies {
    geometry::Adjacency edges;
    std::vector<double> strength;                    ///< c, one per entry of edges.neighbors
    std::vector<double> products;                    ///< v_i·v_j, likewise
    std::vector<std::vector<std::uint32_t>> groups;  ///< all vertices; those of a group share no edge
    double own_squared = 0;                          ///< Σ m |v_i|²
    double edge_squared = 0;                         ///< Σ c |v_i - v_j|²

    bool empty() const { return strength.empty(); }
    std::size_t begin(std::size_t vertex) const { return edges.offsets[vertex]; }
    std::size_t end(std::size_t vertex) const { return edges.offsets[vertex + 1]; }
};

/// Edge terms for the edges of `triangles`, over the vertices of `data`; none if there are no triangles.
EdgeTies tieEdges(const Trajectories& data, std::span<const Triangle> triangles);

/// Multiplies every c.
void scaleTies(EdgeTies& ties, double factor);

}  // namespace pelt::fit::ssdr
