#pragma once

#include "weight_rows.h"

namespace pelt::deform {

/// The terms of the similarity sum of [LeHodgins16], sorted by pairs of joints. A triangle takes part in a vertex's sum
/// only through pairs of joints that both have, and there only through its two weights on them: s is a sum over pairs
/// of a function of (u_j, u_k) and (v_j, v_k). So triangles with (nearly) the same two weights count as one.
class SimilarTriangles {
public:
    /// `queried`: rows whose pairs of joints will be looked up.
    SimilarTriangles(const Mesh& mesh, const WeightRows& triangle_weights, const WeightRows& queried, double cell);

    /// Sums over all triangles.
    struct Sum {
        double weight = 0;  ///< Σ s a / 2
        Vec3d moment;       ///< Σ s a c / 2
    };
    Sum around(std::span<const JointWeight> row, double sigma) const;

private:
    /// Triangles whose weights on a pair (j, k) are about (x, y).
    struct Cluster {
        double x = 0, y = 0;
        double mass = 0;           ///< Σ a v_j v_k
        Vec3d moment;              ///< Σ a v_j v_k c
        Vec3d moment_x, moment_y;  ///< Σ a v_j v_k c (v_j − x), Σ a v_j v_k c (v_k − y)
    };
    struct Members;

    std::size_t pairIndex(std::uint32_t j, std::uint32_t k) const;
    Members membersByPair(const WeightRows& triangle_weights) const;
    static std::vector<Cluster> merge(std::vector<Cluster>& triangles, double cell);
    Sum sumNear(std::span<const JointWeight> row, double sigma, double reach, double& possible) const;

    std::vector<std::uint64_t> pairs_;            ///< j < k as j << 32 | k, ascending
    std::vector<std::vector<Cluster>> clusters_;  ///< per pair
    std::vector<double> mass_;                    ///< per pair, of all its clusters
};

}  // namespace pelt::deform
