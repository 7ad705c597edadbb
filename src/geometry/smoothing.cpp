// Solves the symmetric form of implicit smoothing. With k = lambda D per vertex, row i of
//     (I + k D_L^-1 L) x = x_0   times   d_i / k_i   is   (d_i / k_i) x_i + (L x)_i = (d_i / k_i) x_0i,
// symmetric and positive definite over the free vertices (k > 0, d > 0). Frozen vertices keep x_0 and go to the
// right-hand side. A Cholesky factorisation of the unsymmetric form would read one triangle only and be wrong.
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/smoothing.h>

// clang-format off
#include <iostream>  // before Eigen/MetisSupport, which uses std::cerr without including it
// clang-format on
#include <Eigen/MetisSupport>
#include <Eigen/SparseCholesky>
#include <mutex>

namespace pelt::geometry {
namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Solver = Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::MetisOrdering<int>>;

constexpr int kFrozen = -1;

/// METIS draws from the C library's global random numbers after seeding them: one call at a time, or two threads
/// would disturb each other's orderings and with them the last bits of the results.
std::mutex ordering_mutex;

}  // namespace

struct ImplicitSmoother::Factor {
    struct Pull {  ///< of a frozen vertex on a free one
        int row;
        std::uint32_t frozen;
        double weight;
    };

    std::size_t vertex_count = 0;
    std::vector<int> row_of;  ///< per vertex: its row in the system, or kFrozen
    std::vector<std::uint32_t> vertex_of;
    std::vector<double> scale;  ///< d / k per row
    std::vector<Pull> pulls;
    Solver solver;

    void numberFreeVertices(const Laplacian& laplacian, double lambda, std::span<const double> map) {
        row_of.assign(vertex_count, kFrozen);
        for (std::uint32_t v = 0; v < vertex_count; ++v) {
            const double strength = lambda * (map.empty() ? 1.0 : map[v]);
            if (!(strength >= 0) || !std::isfinite(strength)) {
                throw Error::badUsage("the smoothing strength of vertex " + std::to_string(v) +
                                      " must be zero or a positive number");
            }
            if (strength == 0 || laplacian.diagonal[v] == 0) continue;
            row_of[v] = static_cast<int>(vertex_of.size());
            vertex_of.push_back(v);
            scale.push_back(laplacian.diagonal[v] / strength);
        }
    }

    void factorise(const Laplacian& laplacian) {
        std::vector<Eigen::Triplet<double>> entries;
        entries.reserve(laplacian.weights.size() / 2 + vertex_of.size());
        for (int row = 0; row < int(vertex_of.size()); ++row) {
            const std::uint32_t v = vertex_of[row];
            entries.emplace_back(row, row, scale[row] + laplacian.diagonal[v]);
            for (std::size_t e = laplacian.edges.offsets[v]; e < laplacian.edges.offsets[v + 1]; ++e) {
                const std::uint32_t n = laplacian.edges.neighbours[e];
                if (row_of[n] == kFrozen) {
                    pulls.push_back({row, n, laplacian.weights[e]});
                } else if (row_of[n] < row) {
                    entries.emplace_back(row, row_of[n], -laplacian.weights[e]);
                }
            }
        }
        if (vertex_of.empty()) return;
        Matrix matrix(Eigen::Index(vertex_of.size()), Eigen::Index(vertex_of.size()));
        matrix.setFromTriplets(entries.begin(), entries.end());
        {
            const std::lock_guard lock(ordering_mutex);
            solver.analyzePattern(matrix);
        }
        solver.factorize(matrix);
        if (solver.info() != Eigen::Success) {
            throw Error::badInput("the smoothing system cannot be solved: is a position of the mesh not finite?");
        }
    }

    void smoothColumn(std::span<double> column, int iterations) const {
        Eigen::VectorXd right(Eigen::Index(vertex_of.size()));
        for (int i = 0; i < iterations; ++i) {
            for (std::size_t row = 0; row < vertex_of.size(); ++row) {
                right[Eigen::Index(row)] = scale[row] * column[vertex_of[row]];
            }
            for (const Pull& pull : pulls) right[pull.row] += pull.weight * column[pull.frozen];
            const Eigen::VectorXd solution = solver.solve(right);
            for (std::size_t row = 0; row < vertex_of.size(); ++row)
                column[vertex_of[row]] = solution[Eigen::Index(row)];
        }
    }
};

ImplicitSmoother::ImplicitSmoother(const Laplacian& laplacian, double lambda, std::span<const double> map)
    : factor_(std::make_unique<Factor>()) {
    if (!map.empty() && map.size() != laplacian.vertexCount()) {
        throw Error::badUsage("the smoothing map has " + std::to_string(map.size()) + " values for " +
                              std::to_string(laplacian.vertexCount()) + " vertices");
    }
    factor_->vertex_count = laplacian.vertexCount();
    factor_->numberFreeVertices(laplacian, lambda, map);
    factor_->factorise(laplacian);
}

ImplicitSmoother::~ImplicitSmoother() = default;
ImplicitSmoother::ImplicitSmoother(ImplicitSmoother&&) noexcept = default;
ImplicitSmoother& ImplicitSmoother::operator=(ImplicitSmoother&&) noexcept = default;

std::size_t ImplicitSmoother::vertexCount() const { return factor_->vertex_count; }

void ImplicitSmoother::smooth(std::span<double> values, int iterations) const {
    const std::size_t count = vertexCount();
    if (count == 0 || values.size() % count != 0) {
        if (values.empty()) return;
        throw Error::badUsage("smoothing takes whole columns of " + std::to_string(count) + " values");
    }
    if (factor_->vertex_of.empty()) return;
    parallelFor(values.size() / count, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t c = first; c < last; ++c) factor_->smoothColumn(values.subspan(c * count, count), iterations);
    });
}

}  // namespace pelt::geometry
