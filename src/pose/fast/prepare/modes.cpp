// Extra weights as modes: eigenfunctions of the Laplacian, L φ = λ M φ, with the lowest λ. Among all sets of this many
// functions they best approximate functions with little Dirichlet energy, and little energy is all that is known of a
// pose in advance. This is not in the slides: the bumps in weight space used there depend only on the position along a
// limb between two handles. The region held by a handle must follow that handle alone, so φ - Σ_h w_h φ_h is used, with
// φ_h the mean of φ in that region. This does not reduce the space of poses, since the handles' own transforms are in
// the rig. The remainder fades out in the region.
#include "modes.h"

#include <pelt/core/parallel.h>
#include <pelt/geometry/adjacency.h>

#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "core/eigen/eigen_solvers.h"

namespace pelt::pose {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

constexpr double kHeld = 1 - 1e-6;  ///< a vertex with this weight counts as held by the handle alone
constexpr int kHeldPower = 8;       ///< if no vertex has all weight
constexpr double kShift = 1e-6;     ///< of the mean of L: makes it positive definite
constexpr Eigen::Index kSpare = 8;  ///< additional functions in the iteration, which speed up convergence
constexpr int kRounds = 40;
constexpr double kModesSettled = 1e-4;  ///< relative change of the sum of eigenvalues in one iteration

/// L and M of the vertices that have edges.
struct Problem {
    Sparse laplacian;
    Eigen::VectorXd mass;
};

Problem makeProblem(const Elements& elements, std::span<const Eigen::Index> number, Eigen::Index size) {
    std::vector<Eigen::Triplet<double>> entries;
    Problem problem;
    problem.mass = Eigen::VectorXd::Zero(size);
    for (const EdgeTerm& t : elements.sets.terms) {
        const Vec3d edge = elements.positions[t.i] - elements.positions[t.j];
        const Eigen::Index i = number[t.i], j = number[t.j];
        for (const Eigen::Index end : {i, j}) {
            entries.emplace_back(end, end, t.c);
            problem.mass[end] += t.c * dot(edge, edge);  // sums to the dimension times area or volume
        }
        entries.emplace_back(i, j, -t.c);
        entries.emplace_back(j, i, -t.c);
    }
    problem.laplacian.resize(size, size);
    problem.laplacian.setFromTriplets(entries.begin(), entries.end());
    const double mean = problem.mass.mean();
    problem.mass = problem.mass.cwiseMax(1e-3 * mean);
    return problem;
}

geometry::ConnectedParts partsOf(const Sparse& laplacian) {
    geometry::Adjacency edges;
    edges.offsets.assign(laplacian.outerIndexPtr(), laplacian.outerIndexPtr() + laplacian.outerSize() + 1);
    edges.neighbors.assign(laplacian.innerIndexPtr(), laplacian.innerIndexPtr() + laplacian.nonZeros());
    return geometry::connectedParts(edges);
}

/// Constants on a part have no energy and are useless, since handles already contain them.
void removeMeans(const geometry::ConnectedParts& parts, const Eigen::VectorXd& mass, Eigen::VectorXd& x) {
    std::vector<double> sums(parts.count, 0.0), masses(parts.count, 0.0);
    for (Eigen::Index v = 0; v < x.size(); ++v) {
        sums[parts.part[std::size_t(v)]] += mass[v] * x[v];
        masses[parts.part[std::size_t(v)]] += mass[v];
    }
    for (Eigen::Index v = 0; v < x.size(); ++v)
        x[v] -= sums[parts.part[std::size_t(v)]] / masses[parts.part[std::size_t(v)]];
}

/// Deterministic pseudo-random numbers between -1 and 1.
Eigen::MatrixXd scattered(Eigen::Index rows, Eigen::Index columns) {
    Eigen::MatrixXd out(rows, columns);
    std::uint64_t state = 1;
    for (Eigen::Index i = 0; i < out.size(); ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        out.data()[i] = double(state >> 11) * 0x1p-52 - 1;
    }
    return out;
}

/// Inverse subspace iteration in y = M^½ φ: keeping y orthonormal separates the functions, however similar the initial
/// φ are.
Eigen::MatrixXd lowest(const Problem& problem, Eigen::Index count) {
    const geometry::ConnectedParts parts = partsOf(problem.laplacian);
    const Eigen::Index size = problem.mass.size(), wide = std::min(size, count + kSpare);
    Sparse shifted = problem.laplacian;
    const double shift = kShift * problem.laplacian.diagonal().mean() / problem.mass.mean();
    for (Eigen::Index v = 0; v < size; ++v) shifted.coeffRef(v, v) += shift * problem.mass[v];
    const Eigen::SimplicialLDLT<Sparse> solver(shifted);
    const Eigen::VectorXd root = problem.mass.cwiseSqrt(), inverse = root.cwiseInverse();
    Eigen::MatrixXd y = scattered(size, wide);
    double before = 0;
    for (int round = 0; round < kRounds; ++round) {
        parallelFor(std::size_t(wide), 1, [&](std::size_t column, std::size_t) {
            const auto c = Eigen::Index(column);
            const Eigen::VectorXd right = root.cwiseProduct(y.col(c));
            Eigen::VectorXd x = solver.solve(right);
            removeMeans(parts, problem.mass, x);
            y.col(c) = root.cwiseProduct(x);
        });
        y = Eigen::HouseholderQR<Eigen::MatrixXd>(y).householderQ() * Eigen::MatrixXd::Identity(size, wide);
        const Eigen::MatrixXd x = inverse.asDiagonal() * y, stiff = x.transpose() * (problem.laplacian * x),
                              symmetric = 0.5 * (stiff + stiff.transpose());
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> ritz(symmetric);
        y = y * ritz.eigenvectors();
        const double sum = ritz.eigenvalues().head(count).sum();
        if (std::abs(sum - before) <= kModesSettled * std::abs(sum)) break;
        before = sum;
    }
    return inverse.asDiagonal() * y.leftCols(count);
}

/// To what extent each handle owns a vertex: fully if it has all weight, otherwise decreasing fast with its weight
/// relative to its maximum.
double held(double weight, double largest) {
    if (largest > kHeld) return weight > kHeld ? 1 : 0;
    return std::pow(weight / largest, kHeldPower);
}

/// φ - Σ_h w_h φ_h.
void removeHeld(const WeightRows& rows, std::size_t handles, Eigen::MatrixXd& values) {
    std::vector<double> largest(handles, 0.0), sums(handles, 0.0);
    const auto forEntries = [&](const auto& use) {
        for (std::size_t v = 0; v < rows.count(); ++v)
            for (std::size_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
                use(Eigen::Index(v), rows.columns[e], rows.values[e]);
    };
    forEntries([&](Eigen::Index, std::uint32_t h, double w) { largest[h] = std::max(largest[h], w); });
    Eigen::MatrixXd means = Eigen::MatrixXd::Zero(Eigen::Index(handles), values.cols());
    forEntries([&](Eigen::Index v, std::uint32_t h, double w) {
        const double share = held(w, largest[h]);
        if (share < 1e-3) return;
        means.row(h) += share * values.row(v);
        sums[h] += share;
    });
    for (std::size_t h = 0; h < handles; ++h)
        if (sums[h] > 0) means.row(Eigen::Index(h)) /= sums[h];
    forEntries([&](Eigen::Index v, std::uint32_t h, double w) { values.row(v) -= w * means.row(h); });
}

}  // namespace

Eigen::MatrixXd smoothestModes(const Elements& elements, std::size_t handles, std::size_t count) {
    const std::size_t vertices = elements.positions.size();
    std::vector<char> used(vertices, 0);
    for (const EdgeTerm& t : elements.sets.terms) used[t.i] = used[t.j] = 1;
    std::vector<Eigen::Index> number(vertices, -1);
    Eigen::Index size = 0;
    for (std::size_t v = 0; v < vertices; ++v)
        if (used[v]) number[v] = size++;
    const auto wanted = std::min(Eigen::Index(count), size);
    Eigen::MatrixXd values = Eigen::MatrixXd::Zero(Eigen::Index(vertices), wanted);
    if (wanted == 0) return values;
    const Eigen::MatrixXd modes = lowest(makeProblem(elements, number, size), wanted);
    for (std::size_t v = 0; v < vertices; ++v)
        if (number[v] >= 0) values.row(Eigen::Index(v)) = modes.row(number[v]);
    removeHeld(elements.rows, handles, values);
    for (Eigen::Index c = 0; c < wanted; ++c) values.col(c) /= std::max(1e-300, values.col(c).cwiseAbs().maxCoeff());
    return values;
}

WeightRows withModes(const WeightRows& rows, std::size_t handles, const Eigen::MatrixXd& values) {
    WeightRows out;
    for (std::size_t v = 0; v < rows.count(); ++v) {
        for (std::size_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) out.append(rows.columns[e], rows.values[e]);
        const double shared = fade(rows, v);
        for (Eigen::Index c = 0; c < values.cols(); ++c) {
            const double value = shared * values(Eigen::Index(v), c);
            if (value != 0) out.append(std::uint32_t(handles) + std::uint32_t(c), value);
        }
        out.endRow();
    }
    return out;
}

}  // namespace pelt::pose
