// Weights on a small set of joints. Residuals are reduced by QR, not by normal equations: data that some weights
// reproduce exactly is then reproduced to rounding, not only to its square root.
#include "weight_solver.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pelt::fit::examples {
namespace {

constexpr double kSlope = 1e-9;      ///< cosine between residual and direction below which nothing is gained
constexpr double kRounding = 1e-15;  ///< residuals below this fraction of the largest are rounding

}  // namespace

void WeightSolver::compress(const Eigen::MatrixXd& residuals) {
    if (residuals.rows() <= residuals.cols()) {
        c_ = residuals;
        return;
    }
    qr_.compute(residuals);
    c_ = qr_.matrixQR().topRows(residuals.cols()).triangularView<Eigen::Upper>();
}

void WeightSolver::solve(const Eigen::MatrixXd& residuals, Eigen::VectorXd& weights, bool passing) {
    compress(residuals);
    decomposed_ = false;
    penalty_ = 0;
    if (c_.cols() == 1) {
        weights = Eigen::VectorXd::Ones(1);
    } else if (kind_ == WeightKind::affine && passing && ridge_ == 0) {
        std::vector<Eigen::Index> all(std::size_t(c_.cols()));
        std::iota(all.begin(), all.end(), Eigen::Index(0));
        weights = bestOn(all, 0);
    } else if (kind_ == WeightKind::affine) {
        solveAffine(weights);
    } else {
        solveConvex(weights);
    }
}

/// An orthonormal basis of the steps that keep the sum of `count` weights.
Eigen::MatrixXd WeightSolver::stepsOf(Eigen::Index count) {
    Eigen::MatrixXd steps = Eigen::MatrixXd::Zero(count, count - 1);
    for (Eigen::Index k = 0; k + 1 < count; ++k) {
        const double last = double(k + 1), scale = 1 / std::sqrt(last * (last + 1));
        steps.col(k).head(k + 1).setConstant(scale);
        steps(k + 1, k) = -last * scale;
    }
    return steps;
}

/// The matrix of [MohrGleicher03] §5.2, whose columns (T_j - T_1) v are here combined so that all joints count alike.
void WeightSolver::decompose(unsigned vectors) {
    svd_.compute(c_ * stepsOf(c_.cols()), vectors);
    decomposed_ = true;
}

bool WeightSolver::deficient() {
    const Eigen::Index joints = c_.cols();
    if (joints == 1) return false;
    if (!decomposed_) decompose(0);
    const auto& values = svd_.singularValues();
    return values.size() < joints - 1 || !(values[joints - 2] > tolerance_ * values[0]);
}

/// The step from the convex weights. Directions that the examples do not determine are not taken ([MohrGleicher03]
/// §5.2); a ridge shortens those that they hardly determine.
void WeightSolver::solveAffine(Eigen::VectorXd& weights) {
    const Eigen::Index joints = c_.cols();
    weights.resize(0);
    solveConvex(weights);
    const Eigen::MatrixXd steps = stepsOf(joints);
    Eigen::VectorXd step;
    if (ridge_ > 0) {
        Eigen::MatrixXd ridged(c_.rows() + joints - 1, joints - 1);
        ridged << c_ * steps, ridge_ * Eigen::MatrixXd::Identity(joints - 1, joints - 1);
        Eigen::VectorXd left = Eigen::VectorXd::Zero(ridged.rows());
        left.head(c_.rows()) = -c_ * weights;
        qr_.compute(ridged);
        step = qr_.solve(left);
        penalty_ = ridge_ * ridge_ * step.squaredNorm();
    } else {
        decompose(Eigen::ComputeThinU | Eigen::ComputeThinV);
        const auto& values = svd_.singularValues();
        step = svd_.matrixU().transpose() * (-c_ * weights);
        for (Eigen::Index i = 0; i < values.size(); ++i)
            step[i] = values[i] > tolerance_ * values[0] ? step[i] / values[i] : 0.0;
        step = svd_.matrixV() * step;
    }
    weights += steps * step;
    weights[0] += 1 - weights.sum();
}

/// The minimum over the joints of a set, sum 1, any signs.
Eigen::VectorXd WeightSolver::bestOn(const std::vector<Eigen::Index>& set, std::size_t base) {
    const auto size = Eigen::Index(set.size());
    Eigen::VectorXd best = Eigen::VectorXd::Zero(size);
    if (size == 1) return Eigen::VectorXd::Ones(1);
    Eigen::MatrixXd differences(c_.rows(), size - 1);
    for (std::size_t i = 0, column = 0; i < set.size(); ++i)
        if (i != base) differences.col(Eigen::Index(column++)) = c_.col(set[i]) - c_.col(set[base]);
    pivoted_.setThreshold(tolerance_);
    pivoted_.compute(differences);
    const Eigen::VectorXd others = pivoted_.solve(-c_.col(set[base]));
    for (std::size_t i = 0, row = 0; i < set.size(); ++i)
        if (i != base) best[Eigen::Index(i)] = others[Eigen::Index(row++)];
    best[Eigen::Index(base)] = 1 - others.sum();
    return best;
}

/// Moves to the minimum on the set; joints whose weight would become negative on the way are removed.
void WeightSolver::settle(std::vector<Eigen::Index>& set, Eigen::VectorXd& weights) {
    for (;;) {
        std::size_t base = 0;
        for (std::size_t i = 1; i < set.size(); ++i)
            if (weights[set[i]] > weights[set[base]]) base = i;
        const Eigen::VectorXd wanted = bestOn(set, base);
        double reach = 1;
        std::size_t blocking = set.size();
        for (std::size_t i = 0; i < set.size(); ++i) {
            const double now = weights[set[i]], goal = wanted[Eigen::Index(i)];
            if (goal < 0 && now / (now - goal) < reach) reach = now / (now - goal), blocking = i;
        }
        for (std::size_t i = 0; i < set.size(); ++i)
            weights[set[i]] = std::max(0.0, weights[set[i]] + reach * (wanted[Eigen::Index(i)] - weights[set[i]]));
        if (blocking == set.size()) return;
        weights[set[blocking]] = 0;
        set.erase(set.begin() + std::ptrdiff_t(blocking));
    }
}

/// An active-set method: adds the joint with the steepest descent until there is none.
void WeightSolver::solveConvex(Eigen::VectorXd& weights) {
    const Eigen::Index joints = c_.cols();
    if (weights.size() != joints) weights = Eigen::VectorXd::Unit(joints, 0);
    std::vector<Eigen::Index> set;
    for (Eigen::Index j = 0; j < joints; ++j)
        if (weights[j] > 0) set.push_back(j);
    settle(set, weights);
    const double scale = c_.colwise().norm().maxCoeff();
    Eigen::VectorXd left = c_ * weights;
    for (Eigen::Index step = 0; step < 3 * joints && left.norm() > kRounding * scale; ++step) {
        Eigen::Index next = -1;
        double steepest = -kSlope;
        for (Eigen::Index j = 0; j < joints; ++j) {
            if (weights[j] > 0) continue;
            const Eigen::VectorXd direction = c_.col(j) - left;
            const double slope = direction.dot(left) / (direction.norm() * left.norm() + 1e-300);
            if (slope < steepest) steepest = slope, next = j;
        }
        if (next < 0) break;
        const Eigen::VectorXd before = weights;
        set.push_back(next);
        settle(set, weights);
        const Eigen::VectorXd now = c_ * weights;
        if (!(now.norm() < left.norm())) {
            weights = before;
            break;
        }
        left = now;
    }
    weights /= weights.sum();
}

}  // namespace pelt::fit::examples
