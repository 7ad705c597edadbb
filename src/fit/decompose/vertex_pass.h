#pragma once

#include <pelt/core/progress.h>

#include <functional>

#include "edge_ties.h"

namespace pelt::fit::ssdr {

/// One pass over all vertices with fixed bones. The vertices of a group share no edge, so they are updated in parallel,
/// and the groups one after the other: every vertex sees the current state of its neighbors, the objective can only
/// decrease, and the result does not depend on the number of threads.
///
/// With the neighbors' residuals r_n fixed, the part of the objective that depends on vertex i is, with g = Σ_n c_in
/// r_n and d = Σ_n c_in,
///     m |r|² + Σ_n c |r - r_n|² = (m + d) (|x - v'|² + ..),  v' = v + g / (m + d),
/// which is the problem without edge terms for another trajectory v'. Only Σ_t M_j^T v' and a constant are needed from
/// it.
class VertexPass {
public:
    struct Limits {
        std::size_t influences;  ///< maximum number of bones per vertex, unless it already has more; 0: any number
        double least_weight;     ///< see SimplexSolver
    };
    /// Reads the frames. Existing weights are used; vertices without weights do not yet contribute edge terms.
    VertexPass(const Trajectories& data, const EdgeTies& ties, const Motions& motions, const VertexWeights& weights,
               const Limits& limits, const Progress& progress, double done);

    /// Per-thread work space.
    struct Worker {
        SimplexSolver solver;
        std::vector<double> pulled, moved;
    };
    /// The bones considered in the update of a vertex: all, or its current ones.
    enum class Reach { all, own };
    /// One vertex in the form of SimplexSolver::setVertex.
    struct Local {
        const double* projected;  ///< Σ_t M_j^T v', four numbers per bone in reach
        double squared;           ///< |v'|² and the constant: the remainder, times `share`, is the vertex's objective
        double share;             ///< m + d
    };
    /// body(vertex, worker) may change the weights of the vertex and its rest position.
    void run(const std::function<void(std::uint32_t, Worker&)>& body);
    /// For the current vertex of `run`, until its weights change.
    Local localOf(std::uint32_t vertex, Reach reach, Worker& worker) const;

    const BoneProducts& products() const { return products_; }
    double squaredResidual(std::size_t vertex) const { return left_[vertex]; }  ///< |r_i|²
    /// Σ m |r|² + Σ c |r_i - r_n|².
    double objective() const;

private:
    void project();
    void updateResidual(std::size_t vertex, std::vector<double>& moved);
    void pack(std::size_t vertex);
    double alongResidual(std::size_t vertex, std::size_t edge) const;

    const Trajectories& data_;
    const EdgeTies& ties_;
    const Motions& motions_;
    const VertexWeights& weights_;
    Limits limits_;
    const Progress& progress_;
    double done_;
    BoneProducts products_;
    std::size_t columns_;
    std::vector<double> projected_;  ///< Σ_t M_j^T v_i, four numbers per bone
    std::vector<float> residual_;    ///< Σ_t M_j^T r_i, likewise, if there are edge terms
    std::vector<double> left_;       ///< |r_i|²
    /// A bone of a vertex and w (p, 1): all that neighbors read of its weights, stored contiguously.
    struct Influence {
        std::uint32_t first_column;
        double px, py, pz, p1;
    };
    std::size_t most_influences_ = 0;
    std::vector<Influence> packed_;          ///< most_influences_ per vertex, if there are edge terms
    std::vector<std::uint32_t> influences_;  ///< how many of them count
};

}  // namespace pelt::fit::ssdr
