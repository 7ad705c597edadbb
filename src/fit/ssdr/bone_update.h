#pragma once

#include <pelt/fit/decompose.h>

#include "motions.h"
#include "simplex_solver.h"
#include "trajectories.h"

namespace pelt::fit::ssdr {

using VertexWeights = std::vector<SimplexSolver::Weights>;  ///< one a vertex

/// Sums over the vertices that bone updates are made of, [LeDeng12] Eqs. 6–9. With p̃ = (p, 1) and all bones but j
/// fixed, what j must follow is q_i = v_i - Σ_{k≠j} w_ik M_k p̃_i, and
///     Σ_i w_ij p̃_i q_i^T = C_j - Σ_{k≠j} S_jk M_k^T,  C_j = Σ_i w_ij p̃_i v_i^T,  S_jk = Σ_i w_ij w_ik p̃_i p̃_i^T,
/// so that after one pass over the vertices, bones are updated as often as one likes without looking at them again.
struct VertexSums {
    std::size_t bones = 0, dimensions = 0;
    std::vector<double> c;                               ///< [bone][4][dimensions]
    std::vector<double> s;                               ///< [bone][bone][10], as quadraticTerms orders them
    std::vector<std::vector<std::uint32_t>> neighbours;  ///< other bones with which a bone shares vertices

    double significance(std::size_t bone) const { return s[(bone * bones + bone) * 10 + 9]; }  ///< Σ w²
};

VertexSums sumVertices(const Trajectories& data, const VertexWeights& weights, std::size_t bones);

/// Updates every bone from `first_free` on, one after the other, until that changes little; the error never rises.
/// Insignificant bones (Σ w² under `threshold`) stay as they are. Returns the squared error.
double updateBones(const Trajectories& data, const VertexSums& sums, BoneKind kind, std::size_t first_free,
                   double threshold, Motions& motions);

/// The rigid motion of each frame that takes the listed vertices there, with equal weights (Kabsch).
void fitRigid(const Trajectories& data, std::span<const std::uint32_t> vertices, std::size_t bone, Motions& motions);

}  // namespace pelt::fit::ssdr
