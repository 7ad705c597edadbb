// Factorizes the smoothing system of a small region of the mesh.
#include "local_factor.h"

#include <pelt/core/error.h>

#include <Eigen/SparseCholesky>
#include <algorithm>

#include "local_reach.h"

namespace pelt::geometry {
namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Solver = Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::NaturalOrdering<int>>;

/// The lower triangle of the system; also fills `pulls` and `frozen`.
Matrix assemble(const Laplacian& laplacian, std::span<const double> strength, LocalFactor& local,
                std::vector<std::uint32_t>& row_of) {
    const std::size_t size = local.vertices.size();
    std::vector<int> outer{0}, inner;
    std::vector<double> values;
    std::vector<std::pair<int, double>> column;
    outer.reserve(size + 1);
    inner.reserve(4 * size);
    values.reserve(4 * size);
    for (std::uint32_t row = 0; row < size; ++row) {
        const std::uint32_t v = local.vertices[row];
        column.assign(1, {int(row), local.scale[row] + laplacian.diagonal[v]});
        for (std::size_t e = laplacian.edges.offsets[v]; e < laplacian.edges.offsets[v + 1]; ++e) {
            const std::uint32_t n = laplacian.edges.neighbors[e];
            if (isFrozen(laplacian, strength, n)) {
                if (row_of[n] == kNoRow) {
                    row_of[n] = std::uint32_t(local.frozen.size());
                    local.frozen.push_back(n);
                }
                local.pulls.push_back({row, row_of[n], laplacian.weights[e]});
            } else if (row_of[n] != kNoRow && row_of[n] > row) {
                column.emplace_back(int(row_of[n]), -laplacian.weights[e]);
            }
        }
        std::sort(column.begin(), column.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [index, value] : column) {
            inner.push_back(index);
            values.push_back(value);
        }
        outer.push_back(int(inner.size()));
    }
    return Eigen::Map<Matrix>(Eigen::Index(size), Eigen::Index(size), Eigen::Index(inner.size()), outer.data(),
                              inner.data(), values.data());
}

SweepFactor viewOf(const Solver& solver) {
    const auto lower = solver.matrixL();
    SweepFactor factor;
    factor.offsets = lower.nestedExpression().outerIndexPtr();
    factor.rows = lower.nestedExpression().innerIndexPtr();
    factor.values = lower.nestedExpression().valuePtr();
    factor.inverse_diagonal.resize(std::size_t(lower.cols()));
    const Eigen::VectorXd diagonal = solver.vectorD();  // vectorD() returns a copy
    for (std::size_t k = 0; k < factor.size(); ++k) factor.inverse_diagonal[k] = 1 / diagonal[Eigen::Index(k)];
    factor.findTogether();
    return factor;
}

}  // namespace

LocalFactor factorize(const Laplacian& laplacian, std::span<const double> strength,
                      std::vector<std::uint32_t> free_vertices, std::vector<std::uint32_t>& row_of) {
    LocalFactor local;
    local.vertices = std::move(free_vertices);
    for (std::uint32_t row = 0; row < local.vertices.size(); ++row) {
        const std::uint32_t v = local.vertices[row];
        row_of[v] = row;
        local.scale.push_back(laplacian.diagonal[v] / strength[v]);
    }
    if (!local.vertices.empty()) {
        const auto solver = std::make_shared<Solver>();
        solver->compute(assemble(laplacian, strength, local, row_of));
        if (solver->info() != Eigen::Success)
            throw Error::badInput("the smoothing system cannot be solved: is a position of the mesh not finite?");
        local.factor = viewOf(*solver);
        local.solver = solver;
    }
    for (const std::uint32_t v : local.vertices) row_of[v] = kNoRow;
    for (const std::uint32_t v : local.frozen) row_of[v] = kNoRow;
    return local;
}

}  // namespace pelt::geometry
