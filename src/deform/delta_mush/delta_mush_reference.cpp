// [LeLewis19] §3.1 and §3.2: L the Laplacian, L̄ = L D_L⁻¹, B = (I + λ L̄ D_λ)⁻ᵖ or (I − λ L̄ D_λ)ᵖ.
#include "delta_mush_reference.h"

#include "core/eigen/eigen_solvers.h"

namespace pelt::deform::reference {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;

Vector3d toEigen(const Vec3d& v) { return {v.x, v.y, v.z}; }
Vec3d fromEigen(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }

/// W_ij: the weight of the edge between i and j, 0 if there is none.
MatrixXd edgeWeights(std::span<const Vec3d> positions, std::span<const Triangle> triangles,
                     const DeltaMushOptions& options) {
    MatrixXd w = MatrixXd::Zero(Index(positions.size()), Index(positions.size()));
    for (const Triangle& t : triangles)
        for (int c = 0; c < 3; ++c) {
            const std::uint32_t i = t[(c + 1) % 3], j = t[(c + 2) % 3];
            if (options.laplacian == geometry::LaplacianKind::uniform) {
                w(i, j) = w(j, i) = 1;
            } else {
                const Vec3d a = positions[i] - positions[t[c]], b = positions[j] - positions[t[c]];
                w(i, j) = w(j, i) = w(i, j) + dot(a, b) / length(cross(a, b)) / 2;
            }
        }
    w = w.cwiseMax(0.0);
    for (const geometry::ExtraEdge& edge : options.extra_edges) w(edge.a, edge.b) = w(edge.b, edge.a) += edge.weight;
    return w;
}

MatrixXd power(const MatrixXd& m, int exponent) {
    if (exponent == 0) return MatrixXd::Identity(m.rows(), m.cols());
    const MatrixXd half = power(m, exponent / 2);
    return exponent % 2 ? MatrixXd(half * half * m) : MatrixXd(half * half);
}

}  // namespace

std::vector<double> smoothingMatrix(std::span<const Vec3d> positions, std::span<const Triangle> triangles,
                                    const DeltaMushOptions& options) {
    const MatrixXd w = edgeWeights(positions, triangles, options);
    const Index n = w.rows();
    MatrixXd step = MatrixXd::Zero(n, n);  // λ L̄ D_λ
    for (Index i = 0; i < n; ++i) {
        const double d = w.col(i).sum();
        if (d == 0) continue;
        step.col(i) = -w.col(i) / d;
        step(i, i) = 1;
        step.col(i) *= options.lambda.empty() ? 1.0 : options.lambda[std::size_t(i)];
    }
    const MatrixXd identity = MatrixXd::Identity(n, n);
    const bool implicit = options.smoothing == geometry::SmoothingKind::implicit;
    const MatrixXd one = implicit ? MatrixXd((identity + step).inverse()) : MatrixXd(identity - step);
    const MatrixXd b = power(one, options.iterations).transpose();  // Eigen stores by columns
    return {b.data(), b.data() + b.size()};
}

void deltaMush(const Shape<double>& rest, const SkinWeights& weights, std::span<const double> smoothing_matrix,
               std::span<const Affine3d> bones, const Result<double>& out) {
    std::vector<Vec3d> skinned(rest.positions.size());
    lbs<double>({rest.positions, {}}, weights, bones, {skinned, {}});  // Eq. 1
    deltaMushOver(rest, skinned, smoothing_matrix, out);
}

void deltaMushOver(const Shape<double>& rest, std::span<const Vec3d> skinned, std::span<const double> smoothing_matrix,
                   const Result<double>& out) {
    const std::size_t n = rest.positions.size();
    for (std::size_t i = 0; i < n; ++i) {
        Vector3d smooth_rest = Vector3d::Zero(), smooth_skinned = Vector3d::Zero();  // ũ, ṽ
        for (std::size_t k = 0; k < n; ++k) {
            smooth_rest += smoothing_matrix[k * n + i] * toEigen(rest.positions[k]);
            smooth_skinned += smoothing_matrix[k * n + i] * toEigen(skinned[k]);
        }
        Matrix3d covariance = Matrix3d::Zero();
        for (std::size_t k = 0; k < n; ++k)
            covariance += smoothing_matrix[k * n + i] * (toEigen(skinned[k]) - smooth_skinned) *
                          (toEigen(rest.positions[k]) - smooth_rest).transpose();
        const Eigen::JacobiSVD<Matrix3d> svd(covariance, Eigen::ComputeFullU | Eigen::ComputeFullV);
        const double sign = (svd.matrixU() * svd.matrixV().transpose()).determinant();
        const Matrix3d rotation = svd.matrixU() * Vector3d(1, 1, sign).asDiagonal() * svd.matrixV().transpose();
        out.positions[i] = fromEigen(smooth_skinned + rotation * (toEigen(rest.positions[i]) - smooth_rest));  // Eq. 4
        if (!out.normals.empty() && !rest.normals.empty())
            out.normals[i] = fromEigen(rotation * toEigen(rest.normals[i]));
    }
}

}  // namespace pelt::deform::reference
