#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "motions.h"

namespace pelt::fit::ssdr {

/// Convex weights of one vertex, [LeDeng12] §3.2: minimizes |Σ_j x_j d_j|² over x >= 0, Σ x = 1, where d_j is the
/// residual of bone j alone. Only the products D_jk = d_j·d_k are formed, and of those only the columns of bones with
/// weight: with them an active-set method needs one small Cholesky factorization per step, since on a set P of bones
/// the minimum over Σ x = 1 is x ~ D_P^-1 1.
class SimplexSolver {
public:
    /// Bones whose weight would be under `least_weight` get none, unless that would increase the vertex's error too
    /// much.
    explicit SimplexSolver(const BoneProducts& products, double least_weight = 0);

    /// `projected`: Σ_t M_j^T v, four numbers per bone; `squared`: |v|².
    void setVertex(const Vec3d& p, const double* projected, double squared);
    /// The same for `resolve` from weights on these bones: the others are not read.
    void setVertex(const Vec3d& p, const double* projected, double squared, std::span<const std::uint32_t> bones);
    /// Adds `cost` Σ x²/prior, whose minimum over Σ x = 1 is the prior (one number per bone, of any sum). Bones with a
    /// prior of 0 may get no weight, and not all may be 0. Call after setVertex.
    void addCost(double cost, std::span<const double> prior);

    struct Weights {
        std::vector<std::uint32_t> bones;  ///< ascending
        std::vector<double> values;        ///< above 0, sum 1
        double error = 0;                  ///< remaining objective
    };

    /// The best weights with at most `influences` bones (0: any number), not worse than the best on the bones of
    /// `start`, which may be empty.
    void solve(const Weights& start, std::size_t influences, Weights& result);
    /// The best weights on the `influences` bones with the smallest individual residuals, or on those of `start` if
    /// that is better.
    void solveOnClosest(const Weights& start, std::size_t influences, Weights& result);
    /// The best weights on the bones of `start`, which must not be empty.
    void resolve(const Weights& start, Weights& result);

    /// The residual of these weights.
    double errorOf(const Weights& weights) { return slopes(weights.bones, weights.values); }
    /// The smallest residual when the last weights given to errorOf move toward `bone` in one step.
    double errorTowards(std::uint32_t bone, double error) const;

private:
    void begin(const Vec3d& p, double squared);
    const double* column(std::uint32_t bone);
    bool append(const std::vector<std::uint32_t>& set);
    void factorize(std::vector<std::uint32_t>& set, std::vector<double>& x);
    void backSubstitute(std::size_t size);
    void settle(std::vector<std::uint32_t>& set, std::vector<double>& x);
    double slopes(const std::vector<std::uint32_t>& set, const std::vector<double>& x);
    double minimize(std::vector<std::uint32_t>& set, std::vector<double>& x);
    double trim(std::vector<std::uint32_t>& set, std::vector<double>& x, double error);
    double grow(std::vector<std::uint32_t>& set, std::vector<double>& x, double value);
    void prune(std::vector<std::uint32_t>& set, std::vector<double>& x, std::size_t limit);
    void begin(const Weights& start);
    void takeBetter(const Weights& start, double error, Weights& result);
    void keep(const Weights& start, double error, Weights& result) const;
    void finish(std::vector<std::uint32_t>& set, std::vector<double>& x, double error, Weights& result) const;

    const BoneProducts& products_;
    double least_weight_;
    double terms_[BoneProducts::kTerms] = {};
    double squared_ = 0;
    std::vector<double> along_;  ///< Σ_t (M_j p)·v
    std::vector<double> alone_;  ///< D_jj
    std::vector<std::vector<double>> columns_;
    std::vector<bool> has_column_;
    std::vector<std::uint32_t> made_;
    const std::vector<std::uint32_t>* only_ = nullptr;  ///< the usable bones; null: all
    std::vector<double> gradient_;                      ///< Σ_j x_j D_jk
    std::size_t stride_;                                ///< of the rows of the factor
    std::vector<double> factor_;                        ///< Cholesky factor of D on the set, and
    std::vector<double> half_;                          ///< the solution of L y = 1
    std::vector<double> z_, x_, old_x_, inverse_, scratch_;
    std::vector<std::uint32_t> set_, old_set_;
    double before_ = 0, old_error_ = 0;  ///< of the initial weights, and of the best weights on their bones
};

}  // namespace pelt::fit::ssdr
