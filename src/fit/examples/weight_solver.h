#pragma once

#include <pelt/fit/examples.h>

#include "../../internal/eigen_solvers.h"

namespace pelt::fit::examples {

/// Weights of one vertex, [MohrGleicher03] §5.2: minimizes |Σ_j w_j r_j| over Σ w = 1, where column r_j is the residual
/// of joint j alone in all examples.
class WeightSolver {
public:
    WeightSolver(WeightKind kind, double rank_tolerance) : kind_(kind), tolerance_(rank_tolerance) {}
    void setKind(WeightKind kind) { kind_ = kind; }

    /// `weights` contains convex initial weights, or is empty: all on the first joint. Directions that the examples do
    /// not determine (singular values below the tolerance) keep the values of the first joint alone. `passing`: the
    /// weights only serve to choose a smaller set, and a pivoted QR replaces the singular value decomposition.
    void solve(const Eigen::MatrixXd& residuals, Eigen::VectorXd& weights, bool passing = false);

    /// The residuals of the last solve up to a rotation, which preserves all lengths and products of columns: at most
    /// as many rows as joints.
    const Eigen::MatrixXd& compressed() const { return c_; }

    /// Whether there are such directions in the last solve. Convex weights are found without this information, so
    /// computing it takes time.
    bool deficient();

private:
    void compress(const Eigen::MatrixXd& residuals);
    void decompose(unsigned vectors);
    void solveAffine(Eigen::VectorXd& weights);
    void solveConvex(Eigen::VectorXd& weights);
    void settle(std::vector<Eigen::Index>& set, Eigen::VectorXd& weights);
    Eigen::VectorXd bestOn(const std::vector<Eigen::Index>& set, std::size_t base);

    WeightKind kind_;
    double tolerance_;
    bool decomposed_ = false;  ///< svd_ is that of the last solve
    Eigen::HouseholderQR<Eigen::MatrixXd> qr_;
    Eigen::JacobiSVD<Eigen::MatrixXd> svd_;
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> pivoted_;
    Eigen::MatrixXd c_;  ///< the residuals up to a rotation: at most as many rows as joints
};

}  // namespace pelt::fit::examples
