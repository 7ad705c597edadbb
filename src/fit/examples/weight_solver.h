#pragma once

#include <pelt/fit/examples.h>

#include "core/eigen/eigen_solvers.h"

namespace pelt::fit::examples {

/// Weights of one vertex, [MohrGleicher03] §5.2: minimizes |Σ_j w_j r_j| over Σ w = 1, where column r_j is the residual
/// of joint j alone in all examples.
class WeightSolver {
public:
    WeightSolver(WeightKind kind, double rank_tolerance) : kind_(kind), tolerance_(rank_tolerance) {}
    void setKind(WeightKind kind) { kind_ = kind; }
    /// Affine weights: what a step of 1 away from the convex ones adds to the residual.
    void setRidge(double length) { ridge_ = length; }

    /// `weights` contains convex initial weights, or is empty: all on the first joint. Affine weights keep the values
    /// of convex ones in directions that the examples do not determine (singular values below the tolerance).
    /// `passing`: the weights only serve to choose a smaller set, and a pivoted QR replaces the singular value
    /// decomposition.
    void solve(const Eigen::MatrixXd& residuals, Eigen::VectorXd& weights, bool passing = false);

    /// The residuals of the last solve up to a rotation, which preserves all lengths and products of columns: at most
    /// as many rows as joints.
    const Eigen::MatrixXd& compressed() const { return c_; }

    /// What the ridge adds to the squared residual of the last solve.
    double penalty() const { return penalty_; }

    /// Whether there are such directions in the last solve. Convex weights are found without this information, so
    /// computing it takes time.
    bool deficient();

private:
    void compress(const Eigen::MatrixXd& residuals);
    static Eigen::MatrixXd stepsOf(Eigen::Index count);
    void decompose(unsigned vectors);
    void solveAffine(Eigen::VectorXd& weights);
    void solveConvex(Eigen::VectorXd& weights);
    void settle(std::vector<Eigen::Index>& set, Eigen::VectorXd& weights);
    Eigen::VectorXd bestOn(const std::vector<Eigen::Index>& set, std::size_t base);

    WeightKind kind_;
    double tolerance_;
    double ridge_ = 0, penalty_ = 0;
    bool decomposed_ = false;  ///< svd_ is that of the last solve
    Eigen::HouseholderQR<Eigen::MatrixXd> qr_;
    Eigen::JacobiSVD<Eigen::MatrixXd> svd_;
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> pivoted_;
    Eigen::MatrixXd c_;  ///< the residuals up to a rotation: at most as many rows as joints
};

}  // namespace pelt::fit::examples
