#pragma once

#include <pelt/core/progress.h>

#include <functional>

#include "edge_ties.h"

namespace pelt::fit::ssdr {

/// Goes once over all vertices while the bones stand still. The vertices of a group have no edge between them, so they
/// are updated at the same time, on all threads, and the groups one after the other: every vertex meets its neighbours
/// as they are by then, the objective can only fall, and threads change nothing.
///
/// With the neighbours' residuals r_n fixed, the part of the objective that vertex i has a say in is, with
/// g = Σ_n c_in r_n and d = Σ_n c_in,
///     m |r|² + Σ_n c |r - r_n|² = (m + d) (|x - v'|² + ..),  v' = v + g / (m + d),
/// the problem without ties for another trajectory, of which only Σ_t M_j^T v' and a constant are needed.
class VertexPass {
public:
    struct Limits {
        std::size_t influences;  ///< bones of a vertex at most, unless it has more already; 0: any number
        double least_weight;     ///< see SimplexSolver
    };
    /// Reads the frames. Weights that are there count; vertices without any do not yet tie their neighbours.
    VertexPass(const Trajectories& data, const EdgeTies& ties, const Motions& motions, const VertexWeights& weights,
               const Limits& limits, const Progress& progress, double done);

    /// What a thread needs beside the data.
    struct Worker {
        SimplexSolver solver;
        std::vector<double> pulled, moved;
    };
    /// The bones that an update of a vertex looks at: all, or those that it has.
    enum class Reach { all, own };
    /// One vertex, as SimplexSolver::setVertex takes it.
    struct Local {
        const double* projected;  ///< Σ_t M_j^T v', four numbers a bone within reach
        double squared;           ///< |v'|² and the constant: what is left, times `share`, is the vertex's objective
        double share;             ///< m + d
    };
    /// body(vertex, worker) may change the weights of the vertex and its rest position.
    void run(const std::function<void(std::uint32_t, Worker&)>& body);
    /// Of the vertex that `run` is at, until its weights change.
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
    std::vector<double> projected_;  ///< Σ_t M_j^T v_i, four numbers a bone
    std::vector<float> residual_;    ///< Σ_t M_j^T r_i, likewise, where there are ties
    std::vector<double> left_;       ///< |r_i|²
    /// A bone of a vertex and w (p, 1): all that neighbours read of its weights, where they lie next to each other.
    struct Influence {
        std::uint32_t first_column;
        double px, py, pz, p1;
    };
    std::size_t most_influences_ = 0;
    std::vector<Influence> packed_;          ///< most_influences_ a vertex, where there are ties
    std::vector<std::uint32_t> influences_;  ///< how many of them count
};

}  // namespace pelt::fit::ssdr
