#pragma once

#include <pelt/fit/decompose.h>

#include "edge_ties.h"
#include "motions.h"

namespace pelt::fit::ssdr {

/// Sums over the vertices for the bone updates, [LeDeng12] Eqs. 6–9. With p̃ = (p, 1) and all bones but j fixed, the
/// target of j is q_i = v_i - Σ_{k≠j} w_ik M_k p̃_i, and
///     Σ_i u_ij q_i^T = C_j - Σ_{k≠j} S_jk M_k^T,  C_j = Σ_i u_ij v_i^T,  S_jk = Σ_i u_ij (w_ik p̃_i)^T,
/// so that after one pass over the vertices, bones can be updated any number of times without visiting them again. Here
/// u_ij = w_ij p̃_i without edge terms; with them, u_ij = m_i w_ij p̃_i + Σ_n c_in (w_ij p̃_i - w_nj p̃_n), which is
/// half the derivative of the objective with respect to the contribution of bone j to vertex i.
struct VertexSums {
    std::size_t bones = 0, dimensions = 0;
    std::vector<double> c;                              ///< [bone][4][dimensions]
    std::vector<double> s;                              ///< [bone][bone][4][4]; S_kj is the transpose of S_jk
    std::vector<double> significance;                   ///< Σ m w² of each bone
    std::vector<std::vector<std::uint32_t>> neighbors;  ///< other bones with which a bone shares vertices or edges
    double squared = 0;                                 ///< the objective if all bones map everything to 0
};

VertexSums sumVertices(const Trajectories& data, const EdgeTies& ties, const VertexWeights& weights, std::size_t bones);

/// Updates every bone from `first_free` on, one after the other, until convergence; the objective never increases.
/// Insignificant bones (Σ w² under `threshold`) are not changed. Returns the objective.
double updateBones(const VertexSums& sums, BoneKind kind, std::size_t first_free, double threshold, Motions& motions);

/// The rigid motion of each frame that best fits the listed vertices, with equal weights (Kabsch).
void fitRigid(const Trajectories& data, std::span<const std::uint32_t> vertices, std::size_t bone, Motions& motions);

}  // namespace pelt::fit::ssdr
