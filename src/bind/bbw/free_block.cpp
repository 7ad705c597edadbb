// Solves the energy over the rows that no bound holds.
#include "free_block.h"

#include <pelt/core/error.h>

namespace pelt::bind::bbw {
namespace {

/// The submatrix of the rows; only its lower triangle for a factorization.
Matrix restricted(const Matrix& matrix, const std::vector<int>& rows, const std::vector<int>& row_of, bool lower) {
    std::vector<int> outer{0}, inner;
    std::vector<double> values;
    outer.reserve(rows.size() + 1);
    for (const int column : rows) {
        for (Matrix::InnerIterator it(matrix, column); it; ++it) {
            const int row = row_of[std::size_t(it.row())];
            if (row < 0 || (lower && it.row() < column)) continue;
            inner.push_back(row);
            values.push_back(it.value());
        }
        outer.push_back(int(inner.size()));
    }
    const auto size = Eigen::Index(rows.size());
    return Eigen::Map<Matrix>(size, size, Eigen::Index(inner.size()), outer.data(), inner.data(), values.data());
}

}  // namespace

FreeBlock::FreeBlock(const BiharmonicSystem& system, std::vector<int> rows, std::vector<int>& row_of)
    : rows_(std::move(rows)) {
    for (std::size_t k = 0; k < rows_.size(); ++k) row_of[std::size_t(rows_[k])] = int(k);
    energy_ = restricted(system.energy, rows_, row_of, false);
    laplacian_.compute(restricted(system.laplacian, rows_, row_of, true));
    mass_.resize(Eigen::Index(rows_.size()));
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        mass_[Eigen::Index(k)] = system.mass[rows_[k]];
        row_of[std::size_t(rows_[k])] = -1;
    }
}

Eigen::VectorXd FreeBlock::solve(const Eigen::VectorXd& right) const {
    const Matrix lower = energy_.triangularView<Eigen::Lower>();
    const Cholesky energy(lower);
    Eigen::VectorXd x = energy.solve(right);
    if (energy.info() != Eigen::Success || !x.allFinite())
        throw Error::badInput(
            "the biharmonic system cannot be solved: check for tets or triangles without volume or area");
    return x;
}

}  // namespace pelt::bind::bbw
