// Alternating least squares for rest-space corrections; eigenskin.cpp has the notation.
//
// Both steps need A_i^tᵀ A_i^t, which is a sum over pairs of bones: Σ_{j≤k} w_ij w_ik P_jk^t with P_jk = R_jᵀ R_k +
// R_kᵀ R_j (R_jᵀ R_j for j = k). So the sums over frames (for given coefficients) or over vertices (for given modes)
// are computed once per pair of bones instead of once per vertex and frame. For each vertex and frame, only a product
// with y remains.
#include "alternate.h"

#include <pelt/core/parallel.h>

#include <array>

#include "core/eigen/eigen_solvers.h"

namespace pelt::fit {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kMostRounds = 30;
constexpr double kConverged = 1e-4;  // stops when an iteration reduces the error by less than this fraction
constexpr double kExactFit = 1e-11;  // of the squared error: the level of the rounding of y
constexpr double kRidge = 1e-12;     // of the mean diagonal: only keeps singular systems solvable
constexpr Index kFramesAtOnce = 64, kRowsAtOnce = 512;

/// The upper triangle of a symmetric 3x3 matrix: xx xy xz yy yz zz.
using Symmetric = std::array<double, 6>;

void addScaled(Symmetric& sum, double factor, const Symmetric& term) {
    for (std::size_t i = 0; i < 6; ++i) sum[i] += factor * term[i];
}

/// Pairs j ≤ k of bones that share a vertex.
struct BonePairs {
    std::vector<std::array<std::uint32_t, 2>> bones;
    std::vector<std::int32_t> index;  ///< [j * bone count + k], -1 for none
};

BonePairs findPairs(const Decomposition& d) {
    BonePairs pairs;
    pairs.index.assign(d.bones * d.bones, -1);
    for (std::size_t v = 0; v < d.rest.size(); ++v) {
        for (const std::uint32_t j : d.weights.jointsOf(v)) {
            for (const std::uint32_t k : d.weights.jointsOf(v)) {
                std::int32_t& index = pairs.index[j * d.bones + k];
                if (j > k || index >= 0) continue;
                index = static_cast<std::int32_t>(pairs.bones.size());
                pairs.bones.push_back({j, k});
            }
        }
    }
    return pairs;
}

/// Calls `visit(pair, w_ij w_ik)` for the pairs of bones of a vertex.
template <class Visit>
void forPairsOf(const Decomposition& d, const BonePairs& pairs, std::size_t vertex, const Visit& visit) {
    const auto bones = d.weights.jointsOf(vertex);
    const auto weights = d.weights.weightsOf(vertex);
    for (std::size_t a = 0; a < bones.size(); ++a) {
        for (std::size_t b = a; b < bones.size(); ++b) {
            const std::size_t j = std::min(bones[a], bones[b]), k = std::max(bones[a], bones[b]);
            visit(static_cast<std::size_t>(pairs.index[j * d.bones + k]), double(weights[a]) * weights[b]);
        }
    }
}

/// P_jk of one frame.
Symmetric pairProduct(std::span<const Affine3d> pose, const std::array<std::uint32_t, 2>& pair) {
    const Mat3d a = pose[pair[0]].linear(), b = pose[pair[1]].linear();
    const double half = pair[0] == pair[1] ? 0.5 : 1;
    const auto entry = [&](int row, int column) {
        return half * (dot(a.col[row], b.col[column]) + dot(b.col[row], a.col[column]));
    };
    return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

/// Pairs r ≤ s of modes, in the order of the sums below.
std::vector<std::array<Index, 2>> modePairs(Index rank) {
    std::vector<std::array<Index, 2>> pairs;
    for (Index r = 0; r < rank; ++r) {
        for (Index s = r; s < rank; ++s) pairs.push_back({r, s});
    }
    return pairs;
}

/// Σ_t c_tr c_ts P_jk^t at [bone pair * mode pairs + mode pair].
std::vector<Symmetric> sumFrames(const EigenSkinProblem& problem, const BonePairs& pairs, const MatrixXd& c) {
    const auto mode_pairs = modePairs(problem.rank);
    std::vector<Symmetric> sums(pairs.bones.size() * mode_pairs.size(), Symmetric{});
    parallelFor(pairs.bones.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t pair = first; pair < last; ++pair) {
            Symmetric* own = sums.data() + pair * mode_pairs.size();
            for (Index t = 0; t < problem.frames(); ++t) {
                const Symmetric p = pairProduct(problem.decomposition.pose(std::size_t(t)), pairs.bones[pair]);
                for (std::size_t m = 0; m < mode_pairs.size(); ++m) {
                    addScaled(own[m], c(t, mode_pairs[m][0]) * c(t, mode_pairs[m][1]), p);
                }
            }
        }
    });
    return sums;
}

/// Solves N x = b for a symmetric N that may be singular.
VectorXd solveRidged(const MatrixXd& normal, const VectorXd& right) {
    const double mean = normal.trace() / static_cast<double>(normal.rows());
    MatrixXd ridged = normal;
    ridged.diagonal().array() += kRidge * mean + 1e-300;
    return ridged.ldlt().solve(right);
}

/// The normal matrix of one vertex from its 3x3 blocks, one per pair of modes.
void spread(const std::vector<Symmetric>& blocks, const std::vector<std::array<Index, 2>>& mode_pairs,
            MatrixXd& normal) {
    for (std::size_t m = 0; m < blocks.size(); ++m) {
        const Symmetric& n = blocks[m];
        Matrix3d full;
        full << n[0], n[1], n[2], n[1], n[3], n[4], n[2], n[4], n[5];
        const auto [r, s] = mode_pairs[m];
        normal.block<3, 3>(3 * r, 3 * s) = full;
        normal.block<3, 3>(3 * s, 3 * r) = full;
    }
}

/// The modes that minimize E for given coefficients.
MatrixXd solveModes(const EigenSkinProblem& problem, const BonePairs& pairs, const MatrixXd& coefficients) {
    const Index rank = problem.rank;
    const auto mode_pairs = modePairs(rank);
    const std::vector<Symmetric> sums = sumFrames(problem, pairs, coefficients);
    const DataMatrix y = problem.matrix();
    MatrixXd modes(3 * problem.vertices(), rank);
    parallelFor(std::size_t(problem.vertices()), 256, [&](std::size_t first, std::size_t last) {
        const Index row = 3 * Index(first), rows = 3 * Index(last - first);
        MatrixXd right = MatrixXd::Zero(rows, rank);  // Σ_t y_i^t c_tr
        for (Index t = 0; t < problem.frames(); t += kFramesAtOnce) {
            const Index count = std::min(kFramesAtOnce, problem.frames() - t);
            right.noalias() += y.block(row, t, rows, count).cast<double>() * coefficients.middleRows(t, count);
        }
        std::vector<Symmetric> blocks;
        MatrixXd normal(3 * rank, 3 * rank);
        VectorXd own(3 * rank);
        for (std::size_t v = first; v < last; ++v) {
            blocks.assign(mode_pairs.size(), Symmetric{});
            forPairsOf(problem.decomposition, pairs, v, [&](std::size_t pair, double w) {
                const Symmetric* pair_sums = sums.data() + pair * blocks.size();
                for (std::size_t m = 0; m < blocks.size(); ++m) addScaled(blocks[m], w, pair_sums[m]);
            });
            spread(blocks, mode_pairs, normal);
            const Index at = 3 * Index(v - first);
            for (Index r = 0; r < rank; ++r) own.segment<3>(3 * r) = right.block<3, 1>(at, r);
            const VectorXd solved = solveRidged(normal, own);
            for (Index r = 0; r < rank; ++r) modes.block<3, 1>(row + at, r) = solved.segment<3>(3 * r);
        }
    });
    return modes;
}

/// The coefficients whose dot product with a Symmetric P is aᵀ P b.
Symmetric outerProduct(const Vector3d& a, const Vector3d& b) {
    return {a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[2] * b[0],
            a[1] * b[1], a[1] * b[2] + a[2] * b[1], a[2] * b[2]};
}

/// Σ_i w_ij w_ik of the outer products of m_ri and m_si, at [mode pair * bone pairs + bone pair].
std::vector<Symmetric> sumVertices(const EigenSkinProblem& problem, const BonePairs& pairs, const MatrixXd& modes) {
    const auto mode_pairs = modePairs(problem.rank);
    std::vector<Symmetric> sums(mode_pairs.size() * pairs.bones.size(), Symmetric{});
    parallelFor(mode_pairs.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t m = first; m < last; ++m) {
            Symmetric* own = sums.data() + m * pairs.bones.size();
            for (Index v = 0; v < problem.vertices(); ++v) {
                const Symmetric product = outerProduct(modes.block<3, 1>(3 * v, mode_pairs[m][0]),
                                                       modes.block<3, 1>(3 * v, mode_pairs[m][1]));
                forPairsOf(problem.decomposition, pairs, std::size_t(v),
                           [&](std::size_t pair, double w) { addScaled(own[pair], w, product); });
            }
        }
    });
    return sums;
}

/// The normal matrix of one frame.
MatrixXd frameNormal(const EigenSkinProblem& problem, const BonePairs& pairs, const std::vector<Symmetric>& sums,
                     std::size_t frame) {
    const auto mode_pairs = modePairs(problem.rank);
    MatrixXd normal = MatrixXd::Zero(problem.rank, problem.rank);
    for (std::size_t pair = 0; pair < pairs.bones.size(); ++pair) {
        const Symmetric p = pairProduct(problem.decomposition.pose(frame), pairs.bones[pair]);
        for (std::size_t m = 0; m < mode_pairs.size(); ++m) {
            const Symmetric& sum = sums[m * pairs.bones.size() + pair];
            for (std::size_t i = 0; i < 6; ++i) normal(mode_pairs[m][1], mode_pairs[m][0]) += sum[i] * p[i];
        }
    }
    return normal.selfadjointView<Eigen::Lower>();
}

/// The coefficients that minimize E for given modes, and the minimum.
EigenSkinFactors solveCoefficients(const EigenSkinProblem& problem, const BonePairs& pairs, const MatrixXd& modes) {
    const std::vector<Symmetric> sums = sumVertices(problem, pairs, modes);
    const DataMatrix y = problem.matrix();
    EigenSkinFactors factors{modes, MatrixXd(problem.frames(), problem.rank), problem.energy};
    std::vector<double> gains(problem.decomposition.frames);
    parallelFor(gains.size(), 8, [&](std::size_t first, std::size_t last) {
        const Index count = Index(last - first);
        MatrixXd right = MatrixXd::Zero(problem.rank, count);  // Σ_i m_ri · y_i^t
        for (Index row = 0; row < y.rows(); row += kRowsAtOnce) {
            const Index rows = std::min(kRowsAtOnce, y.rows() - row);
            right.noalias() +=
                modes.middleRows(row, rows).transpose() * y.block(row, Index(first), rows, count).cast<double>();
        }
        for (std::size_t t = first; t < last; ++t) {
            const MatrixXd normal = frameNormal(problem, pairs, sums, t);
            const VectorXd own = right.col(Index(t - first));
            const VectorXd c = solveRidged(normal, own);
            gains[t] = 2 * c.dot(own) - c.dot(normal * c);
            factors.coefficients.row(Index(t)) = c.transpose();
        }
    });
    for (const double gain : gains) factors.energy -= gain;
    return factors;
}

}  // namespace

MatrixXd orthonormalBasis(const MatrixXd& columns) {
    const Eigen::HouseholderQR<MatrixXd> qr(columns);
    return qr.householderQ() * MatrixXd::Identity(columns.rows(), columns.cols());
}

EigenSkinFactors alternateFactors(const EigenSkinProblem& problem, const MatrixXd& start, const Stage& stage) {
    const BonePairs pairs = findPairs(problem.decomposition);
    EigenSkinFactors factors{MatrixXd::Zero(3 * problem.vertices(), problem.rank), start, problem.energy};
    for (int round = 0; round < kMostRounds; ++round) {
        stage.report(double(round) / kMostRounds);
        // Any basis of the same span gives the same E; an orthonormal one keeps the systems for the modes well
        // conditioned.
        const MatrixXd modes = solveModes(problem, pairs, orthonormalBasis(factors.coefficients));
        EigenSkinFactors next = solveCoefficients(problem, pairs, modes);
        if (!(next.energy <= factors.energy)) break;  // only rounding: the previous result is as good
        const bool converged = next.energy <= kExactFit * problem.energy ||
                               std::sqrt(next.energy) > (1 - kConverged) * std::sqrt(factors.energy);
        factors = std::move(next);
        if (converged) break;
    }
    return factors;
}

}  // namespace pelt::fit
