// Initial values for bounded biharmonic weights: every vertex belongs to its nearest handle, and these cells are
// blurred by a few diffusion steps, (L + s M) w' = s M w with the handles' own vertices fixed. The resulting weights
// are positive and sum to 1, and one factorization serves all handles and steps. This is about as good a start as
// solving for each handle alone, in a third of the time.
#include "diffused_cells.h"

#include <pelt/core/error.h>
#include <pelt/core/parallel.h>

#include <Eigen/SparseCholesky>
#include <algorithm>

namespace pelt::bind::bbw {
namespace {

constexpr int kSteps = 3;
constexpr double kTail = 0.003;  ///< smaller weights become zero, so that supports are finite
constexpr std::size_t kBatch = 16;

using Cholesky = Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::NaturalOrdering<int>>;

struct Diffusion {
    std::vector<int> rows;  ///< the unknown rows
    Eigen::VectorXd mass;   ///< s M of them
    Cholesky factor;        ///< of L + s M over them
};

/// A step spreads over about the size of a cell: with L_ii / M_ii a multiple of 1 / edge², given by the mean number of
/// rings.
double diffusionRate(const BiharmonicSystem& system, const std::vector<int>& rows) {
    double sum = 0;
    for (const int row : rows) sum += system.laplacian.coeff(row, row) / system.mass[row];
    return sum / (double(rows.size()) * system.mean_ring * system.mean_ring);
}

void prepare(const BiharmonicSystem& system, Diffusion& diffusion) {
    std::vector<int> place(std::size_t(system.size()), -1);
    for (int row = 0; row < system.size(); ++row) {
        if (system.isGiven(row)) continue;
        place[std::size_t(row)] = int(diffusion.rows.size());
        diffusion.rows.push_back(row);
    }
    if (diffusion.rows.empty()) return;
    const auto size = Eigen::Index(diffusion.rows.size());
    const double rate = diffusionRate(system, diffusion.rows);
    diffusion.mass.resize(size);
    std::vector<Eigen::Triplet<double>> entries;
    for (Eigen::Index k = 0; k < size; ++k) {
        const int column = diffusion.rows[std::size_t(k)];
        diffusion.mass[k] = rate * system.mass[column];
        entries.emplace_back(k, k, diffusion.mass[k]);
        for (Matrix::InnerIterator it(system.laplacian, column); it; ++it)
            if (const int row = place[std::size_t(it.row())]; row >= k) entries.emplace_back(row, k, it.value());
    }
    Matrix lower(size, size);
    lower.setFromTriplets(entries.begin(), entries.end());
    diffusion.factor.compute(lower);
    if (diffusion.factor.info() != Eigen::Success)
        throw Error::badInput(
            "the biharmonic system cannot be solved: check for tets or triangles without volume or area");
}

void diffuse(const BiharmonicSystem& system, const Diffusion& diffusion, std::size_t handle,
             Eigen::Ref<Eigen::VectorXd> weights) {
    for (const int row : system.handle_rows[handle]) weights[row] = 1.0 / system.owners[std::size_t(row)];
    if (diffusion.rows.empty()) return;
    const Eigen::VectorXd held = system.laplacian * weights;
    Eigen::VectorXd sought(Eigen::Index(diffusion.rows.size())), pull(sought.size());
    for (Eigen::Index k = 0; k < sought.size(); ++k) {
        const int row = diffusion.rows[std::size_t(k)];
        sought[k] = system.cell[std::size_t(row)] == int(handle);
        pull[k] = held[row];
    }
    for (int step = 0; step < kSteps; ++step)
        sought = diffusion.factor.solve(diffusion.mass.cwiseProduct(sought) - pull).eval();
    for (Eigen::Index k = 0; k < sought.size(); ++k) weights[diffusion.rows[std::size_t(k)]] = sought[k];
}

/// Reduces the weights of a row so that small ones become zero, and normalizes them.
void cutTails(const BiharmonicSystem& system, Eigen::MatrixXd& weights) {
    for (int row = 0; row < system.size(); ++row) {
        if (system.isGiven(row)) continue;
        const double tail = std::min(kTail, weights.row(row).maxCoeff() / 2);
        weights.row(row) = (weights.row(row).array() - tail).max(0.0);
        weights.row(row) /= weights.row(row).sum();
    }
}

}  // namespace

Eigen::MatrixXd diffusedCells(const BiharmonicSystem& system, const std::function<void(double)>& pause) {
    const std::size_t handles = system.handle_rows.size();
    Eigen::MatrixXd weights = Eigen::MatrixXd::Zero(system.size(), Eigen::Index(handles));
    Diffusion diffusion;
    prepare(system, diffusion);
    for (std::size_t first = 0; first < handles; first += kBatch) {
        pause(double(first) / double(handles));
        parallelFor(std::min(kBatch, handles - first), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t h = first + begin; h < first + end; ++h)
                diffuse(system, diffusion, h, weights.col(Eigen::Index(h)));
        });
    }
    cutTails(system, weights);
    return weights;
}

}  // namespace pelt::bind::bbw
