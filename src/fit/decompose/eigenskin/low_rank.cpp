// Singular values and vectors of tall or wide matrices from the Gram matrix of the smaller side, in double precision.
// The result is accurate to the square root of double rounding, which is the rounding of the data itself.
#include "low_rank.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <vector>

#include "core/eigen/eigen_solvers.h"

namespace pelt::fit {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr Index kTile = 128;             // of the Gram matrix
constexpr std::size_t kTilesAtOnce = 8;  // between two reports
constexpr Index kDepth = 512;            // of the data, processed at a time: the factors of two tiles stay in the cache

bool isWide(const DataMatrix& x) { return x.cols() > x.rows(); }

/// One tile of Xᵀ X, or of X Xᵀ if that is smaller.
MatrixXd gramTile(const DataMatrix& x, Index row, Index rows, Index column, Index columns) {
    const bool wide = isWide(x);
    const Index depth = wide ? x.cols() : x.rows();
    MatrixXd tile = MatrixXd::Zero(rows, columns), left, right;
    for (Index at = 0; at < depth; at += kDepth) {
        const Index count = std::min(kDepth, depth - at);
        if (wide) {
            left = x.block(row, at, rows, count).cast<double>().transpose();
            right = x.block(column, at, columns, count).cast<double>().transpose();
        } else {
            left = x.block(at, row, count, rows).cast<double>();
            right = x.block(at, column, count, columns).cast<double>();
        }
        tile.noalias() += left.transpose() * right;
    }
    return tile;
}

/// Each tile is summed by one thread in a fixed order, so that the bits do not depend on the number of threads.
MatrixXd gramMatrix(const DataMatrix& x, const Stage& stage) {
    const Index size = std::min(x.rows(), x.cols());
    std::vector<std::pair<Index, Index>> tiles;
    for (Index row = 0; row < size; row += kTile) {
        for (Index column = row; column < size; column += kTile) tiles.emplace_back(row, column);
    }
    MatrixXd gram(size, size);
    const auto fill = [&](std::size_t i) {
        const auto [row, column] = tiles[i];
        const Index rows = std::min(kTile, size - row), columns = std::min(kTile, size - column);
        const MatrixXd tile = gramTile(x, row, rows, column, columns);
        gram.block(row, column, rows, columns) = tile;
        if (row != column) gram.block(column, row, columns, rows) = tile.transpose();
    };
    for (std::size_t start = 0; start < tiles.size(); start += kTilesAtOnce) {
        stage.report(double(start) / double(tiles.size()));
        parallelFor(std::min(kTilesAtOnce, tiles.size() - start), 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) fill(start + i);
        });
    }
    return gram;
}

}  // namespace

double energyBeyondRank(const DataMatrix& x, Index rank, const Stage& stage) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(gramMatrix(x, stage), Eigen::EigenvaluesOnly);
    const Index size = solver.eigenvalues().size();  // ascending
    return solver.eigenvalues().head(std::max<Index>(size - rank, 0)).cwiseMax(0).sum();
}

MatrixXd rightSingularVectors(const DataMatrix& x, Index rank, const Stage& stage) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(gramMatrix(x, stage));
    const MatrixXd vectors = solver.eigenvectors().rightCols(rank).rowwise().reverse();
    if (!isWide(x)) return vectors;
    MatrixXd right = MatrixXd::Zero(x.cols(), rank);  // Xᵀ U, of length Σ
    for (Index at = 0; at < x.cols(); at += kDepth) {
        const Index count = std::min(kDepth, x.cols() - at);
        right.middleRows(at, count).noalias() = x.middleCols(at, count).cast<double>().transpose() * vectors;
    }
    right.colwise().normalize();
    return right;
}

}  // namespace pelt::fit
