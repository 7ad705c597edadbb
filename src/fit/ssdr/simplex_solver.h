#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "motions.h"

namespace pelt::fit::ssdr {

/// Convex weights of one vertex, [LeDeng12] §3.2: minimises |Σ_j x_j d_j|² over x >= 0, Σ x = 1, where d_j is the
/// residual that bone j alone would leave. Only the products D_jk = d_j·d_k are ever formed, and of those only the
/// columns of bones that get weight: with them an active set method needs one small Cholesky factorisation a step,
/// since on a set P of bones the minimum over Σ x = 1 is x ~ D_P^-1 1.
class SimplexSolver {
public:
    /// Bones whose weight would be under `least_weight` get none, unless the vertex needs it for a small error.
    explicit SimplexSolver(const BoneProducts& products, double least_weight = 0);

    /// `projected`: Σ_t M_j^T v, four numbers a bone; `squared`: |v|².
    void setVertex(const Vec3d& p, const double* projected, double squared);
    /// The same for `resolve` from weights on these bones: nothing is read of the others.
    void setVertex(const Vec3d& p, const double* projected, double squared, std::span<const std::uint32_t> bones);
    /// Adds `cost` Σ x²/prior, whose minimum over Σ x = 1 is the prior (one number a bone, of any sum); bones with a
    /// prior of 0 may get no weight, and there must be others. After setVertex.
    void addCost(double cost, std::span<const double> prior);

    struct Weights {
        std::vector<std::uint32_t> bones;  ///< ascending
        std::vector<double> values;        ///< above 0, sum 1
        double error = 0;                  ///< what is left of the objective
    };

    /// The best weights with at most `influences` bones (0: any number), not worse than the best on the bones of
    /// `start`, which may be empty.
    void solve(const Weights& start, std::size_t influences, Weights& result);
    /// The best weights on the `influences` bones that leave least alone, or on those of `start` if that is better.
    void solveOnClosest(const Weights& start, std::size_t influences, Weights& result);
    /// The best weights on the bones that `start` has, which must be some.
    void resolve(const Weights& start, Weights& result);

    /// What these weights leave.
    double errorOf(const Weights& weights) { return slopes(weights.bones, weights.values); }
    /// What is left at best when the last weights that errorOf was asked about move towards `bone`, as one step does.
    double errorTowards(std::uint32_t bone, double error) const;

private:
    void begin(const Vec3d& p, double squared);
    const double* column(std::uint32_t bone);
    bool append(const std::vector<std::uint32_t>& set);
    void factorise(std::vector<std::uint32_t>& set, std::vector<double>& x);
    void backSubstitute(std::size_t size);
    void settle(std::vector<std::uint32_t>& set, std::vector<double>& x);
    double slopes(const std::vector<std::uint32_t>& set, const std::vector<double>& x);
    double minimise(std::vector<std::uint32_t>& set, std::vector<double>& x);
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
    const std::vector<std::uint32_t>* only_ = nullptr;  ///< the bones that take part; null: all
    std::vector<double> gradient_;                      ///< Σ_j x_j D_jk
    std::size_t stride_;                                ///< of the rows of the factor
    std::vector<double> factor_;                        ///< Cholesky factor of D on the set, and
    std::vector<double> half_;                          ///< the solution of L y = 1
    std::vector<double> z_, x_, old_x_, inverse_, scratch_;
    std::vector<std::uint32_t> set_, old_set_;
    double before_ = 0, old_error_ = 0;  ///< of the weights to start from, and of the best on their bones
};

}  // namespace pelt::fit::ssdr
