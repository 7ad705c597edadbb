// Rank-R corrections of a skin, after
// [Kry02] Kry, James, Pai: "EigenSkin: Real Time Large Deformation Character Skinning in Hardware", SCA 2002.
//
// Notation: r_i^t residual of vertex i in frame t; A_i^t = Σ_j w_ij R_j^t the linear part of its blended motion;
// m_ri its offset in mode r, c_tr the mode's coefficient in the frame.
//
// A mode acts before skinning, as a morph target does; the error is measured after skinning:
//
//     E = Σ_it |r_i^t − A_i^t Σ_r c_tr m_ri|².
//
// For given c, there is a system with 3R unknowns per vertex; for given m, one with R unknowns per frame
// (alternate.cpp). The only data both need from the frames is y_i^t = A_i^tᵀ r_i^t, which does not change: it replaces
// the residuals in memory. Where the blended motion is nearly a rotation, y is also the residual mapped back to rest
// space, and gives the initial values.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/fit/eigenskin.h>
#include <pelt/geometry/bounding_sphere.h>

#include "alternate.h"
#include "core/eigen/eigen_solvers.h"
#include "fit/decompose/decomposition_check.h"
#include "low_rank.h"

namespace pelt::fit {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr std::size_t kSumBlock = 1024;  ///< vertices whose terms are summed together

Affine3d blend(const Decomposition& d, std::span<const Affine3d> pose, std::size_t vertex) {
    Affine3d sum;
    std::fill(sum.m, sum.m + 16, 0.0);
    const auto bones = d.weights.jointsOf(vertex);
    for (std::size_t k = 0; k < bones.size(); ++k) {
        const double w = d.weights.weightsOf(vertex)[k];
        for (int i = 0; i < 16; ++i) sum.m[i] += w * pose[bones[k]].m[i];
    }
    return sum;
}

/// Sums `term(vertex)` over all vertices, range by range, so that the rounding is the same on any number of threads.
template <class Term>
double sumVertices(std::size_t vertices, const Term& term) {
    std::vector<double> sums((vertices + kSumBlock - 1) / kSumBlock, 0.0);
    parallelFor(vertices, kSumBlock, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) sums[v / kSumBlock] += term(v);
    });
    double total = 0;
    for (const double sum : sums) total += sum;
    return total;
}

void readResiduals(EigenSkinProblem& problem, MeshSequence& frames, const Stage& stage) {
    const Decomposition& d = problem.decomposition;
    const std::size_t vertices = d.rest.size();
    problem.data.resize(3 * vertices * d.frames);
    std::vector<Vec3f> positions(vertices);
    for (std::size_t t = 0; t < d.frames; ++t) {
        stage.report(double(t) / double(d.frames));
        frames.readFrame(t, positions);
        float* out = problem.data.data() + 3 * vertices * t;
        problem.energy += sumVertices(vertices, [&](std::size_t v) {
            const Vec3d r = Vec3d(positions[v]) - blend(d, d.pose(t), v) * Vec3d(d.rest[v]);
            for (int i = 0; i < 3; ++i) out[3 * v + std::size_t(i)] = static_cast<float>(r[i]);
            return dot(r, r);
        });
    }
    if (!std::isfinite(problem.energy))
        throw Error::badInput("the sequence or its decomposition has numbers that are not finite");
}

/// y = Aᵀ r, in place.
void takeBackToRest(EigenSkinProblem& problem) {
    const Decomposition& d = problem.decomposition;
    const std::size_t vertices = d.rest.size();
    for (std::size_t t = 0; t < d.frames; ++t) {
        float* frame = problem.data.data() + 3 * vertices * t;
        parallelFor(vertices, kSumBlock, [&](std::size_t first, std::size_t last) {
            for (std::size_t v = first; v < last; ++v) {
                float* r = frame + 3 * v;
                const Vec3d y = transposed(blend(d, d.pose(t), v).linear()) * Vec3d(r[0], r[1], r[2]);
                for (int i = 0; i < 3; ++i) r[i] = static_cast<float>(y[i]);
            }
        });
    }
}

/// The same product with orthogonal modes, sorted by how much they move the rest pose, and coefficients of at most 1.
EigenSkinFactors inOrder(const EigenSkinFactors& factors) {
    const MatrixXd modes_basis = orthonormalBasis(factors.modes),
                   coefficient_basis = orthonormalBasis(factors.coefficients);
    const MatrixXd core =
        (modes_basis.transpose() * factors.modes) * (coefficient_basis.transpose() * factors.coefficients).transpose();
    const Eigen::JacobiSVD<MatrixXd> svd(core, Eigen::ComputeFullU | Eigen::ComputeFullV);
    EigenSkinFactors sorted{modes_basis * svd.matrixU() * svd.singularValues().asDiagonal(),
                            coefficient_basis * svd.matrixV(), factors.energy};
    for (Index r = 0; r < sorted.modes.cols(); ++r) {
        const double largest = sorted.coefficients.col(r).cwiseAbs().maxCoeff();
        sorted.coefficients.col(r) /= largest;
        sorted.modes.col(r) *= largest;
    }
    return sorted;
}

void store(const EigenSkinFactors& factors, EigenSkin& skin) {
    const auto vertices = static_cast<std::size_t>(factors.modes.rows() / 3);
    skin.modes.assign(skin.rank, std::vector<Vec3f>(vertices));
    for (std::size_t r = 0; r < skin.rank; ++r) {
        for (std::size_t v = 0; v < vertices; ++v) {
            const Eigen::Vector3f m = factors.modes.block<3, 1>(Index(3 * v), Index(r)).cast<float>();
            skin.modes[r][v] = {m[0], m[1], m[2]};
        }
    }
    for (Index t = 0; t < factors.coefficients.rows(); ++t) {
        for (Index r = 0; r < factors.coefficients.cols(); ++r) {
            skin.coefficients.push_back(static_cast<float>(factors.coefficients(t, r)));
        }
    }
}

/// Σ |d|² of the corrected animation, measured as played.
double correctedEnergy(const Decomposition& d, MeshSequence& frames, const EigenSkin& skin, const Stage& stage) {
    std::vector<Vec3f> positions(d.rest.size());
    double energy = 0;
    for (std::size_t t = 0; t < d.frames; ++t) {
        stage.report(double(t) / double(d.frames));
        frames.readFrame(t, positions);
        energy += sumVertices(d.rest.size(), [&](std::size_t v) {
            Vec3d rest(d.rest[v]);
            for (std::size_t r = 0; r < skin.rank; ++r) {
                rest += Vec3d(skin.modes[r][v]) * double(skin.coefficients[t * skin.rank + r]);
            }
            const Vec3d apart = Vec3d(positions[v]) - blend(d, d.pose(t), v) * rest;
            return dot(apart, apart);
        });
    }
    return energy;
}

void checkInput(const Decomposition& d, const MeshSequence& frames, std::size_t rank) {
    checkDecomposition(d);
    if (frames.vertexCount() != d.rest.size() || frames.frameCount() != d.frames) {
        throw Error::badInput(fmt::format("the sequence has {} frames of {} vertices, its decomposition {} of {}",
                                          frames.frameCount(), frames.vertexCount(), d.frames, d.rest.size()));
    }
    const std::size_t most = std::min(d.frames, 3 * d.rest.size());
    if (rank == 0 || rank > most) {
        throw Error::badUsage(fmt::format("`eigenskin` is {}; for {} frames of {} vertices it must be from 1 to {}",
                                          rank, d.frames, d.rest.size(), most));
    }
}

}  // namespace

EigenSkin fitEigenSkin(const Decomposition& decomposition, MeshSequence& frames, std::size_t rank,
                       const Progress& progress, std::span<const Vec3f> scale_rest) {
    checkInput(decomposition, frames, rank);
    EigenSkinProblem problem{decomposition, static_cast<Index>(rank), {}, 0};
    readResiduals(problem, frames, {progress, 0, 0.1});
    const double world_energy =
        std::min(energyBeyondRank(problem.matrix(), problem.rank, {progress, 0.1, 0.45}), problem.energy);
    takeBackToRest(problem);
    const MatrixXd start = rightSingularVectors(problem.matrix(), problem.rank, {progress, 0.45, 0.8});

    EigenSkin skin;
    skin.rank = rank;
    store(inOrder(alternateFactors(problem, start, {progress, 0.8, 0.93})), skin);
    double energy = correctedEnergy(decomposition, frames, skin, {progress, 0.93, 1});
    if (!(energy <= problem.energy)) {  // only rounding is left to correct
        for (auto& mode : skin.modes) std::fill(mode.begin(), mode.end(), Vec3f{});
        energy = problem.energy;
    }
    progress.report("eigenskin", 1);

    const double radius =
        geometry::smallestEnclosingSphere(scale_rest.empty() ? std::span(decomposition.rest) : scale_rest).radius;
    const auto eRms = [&](double e) {
        const double count = 3 * double(decomposition.rest.size()) * double(decomposition.frames);
        return radius > 0 ? 1000 * std::sqrt(e / count) / radius : 0;
    };
    skin.e_rms = eRms(energy);
    skin.world_e_rms = eRms(world_energy);
    return skin;
}

}  // namespace pelt::fit
