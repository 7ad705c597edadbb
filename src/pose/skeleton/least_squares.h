#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace pelt::pose {

/// A symmetric matrix of which the lower half is stored, by rows. Unknowns of a skeleton come parents first: two of
/// them share an entry only if a goal needs both, so that elimination from the last unknown to the first leaves most
/// entries of different limbs 0, and these are skipped.
class LowerMatrix {
public:
    explicit LowerMatrix(std::size_t size = 0) : size_(size), numbers_(size * size, 0.0) {}

    double& at(std::size_t a, std::size_t b) { return a > b ? row(a)[b] : row(b)[a]; }
    double diagonal(std::size_t i) const { return numbers_[i * size_ + i]; }

    /// x = H^-1 x, by H = L^T L; H becomes L. False if H is not positive definite.
    bool solve(Eigen::VectorXd& x) {
        for (std::size_t k = size_; k-- > 0;)
            if (!eliminate(k)) return false;
        for (std::size_t k = size_; k-- > 0;) {
            x[Eigen::Index(k)] /= row(k)[k];
            for (std::size_t i = 0; i < k; ++i) x[Eigen::Index(i)] -= row(k)[i] * x[Eigen::Index(k)];
        }
        for (std::size_t k = 0; k < size_; ++k) {
            double sum = x[Eigen::Index(k)];
            for (std::size_t i = 0; i < k; ++i) sum -= row(k)[i] * x[Eigen::Index(i)];
            x[Eigen::Index(k)] = sum / row(k)[k];
        }
        return true;
    }

private:
    double* row(std::size_t i) { return numbers_.data() + i * size_; }

    bool eliminate(std::size_t k) {
        double* const last = row(k);
        if (!(last[k] > 0)) return false;
        last[k] = std::sqrt(last[k]);
        for (std::size_t i = 0; i < k; ++i) {
            if (last[i] == 0) continue;
            const double factor = last[i] /= last[k];
            double* const above = row(i);
            for (std::size_t j = 0; j <= i; ++j) above[j] -= factor * last[j];
        }
        return true;
    }

    std::size_t size_;
    std::vector<double> numbers_;
};

/// The normal equations of a least-squares problem: rows of the Jacobian are added one block after the other.
struct LeastSquares {
    LowerMatrix hessian;
    Eigen::VectorXd gradient;
    double cost = 0;
    bool derivatives = false;

    LeastSquares(std::size_t unknowns, bool with_derivatives) : derivatives(with_derivatives) {
        if (!derivatives) return;
        hessian = LowerMatrix(unknowns);
        gradient = Eigen::VectorXd::Zero(Eigen::Index(unknowns));
    }

    /// `jacobian`: three rows, a column for each of `columns`, which are unknowns.
    template <class Jacobian>
    void add(const Eigen::Vector3d& residual, const Jacobian& jacobian, std::span<const Eigen::Index> columns) {
        cost += residual.squaredNorm();
        if (!derivatives) return;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const auto column = jacobian.col(Eigen::Index(i));
            gradient[columns[i]] += column.dot(residual);
            for (std::size_t j = 0; j <= i; ++j)
                hessian.at(std::size_t(columns[i]), std::size_t(columns[j])) +=
                    column.dot(jacobian.col(Eigen::Index(j)));
        }
    }
};

}  // namespace pelt::pose
