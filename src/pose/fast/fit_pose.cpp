// The pose of a rig that is nearest to posed vertices, to continue from the pose of another rig of the same shape: with
// V' = M T and T = F s + N t (prepare.cpp), the s and t of least |M T - V'|² over some vertices, and the rotations that
// S = K F s asks for. A small multiple of |s|² makes the softest s count where vertices leave a choice.
#include "fit_pose.h"

#include <pelt/runtime/rotation.h>

#include "core/eigen/eigen_solvers.h"
#include "pose/fast/prepare/reduction.h"

namespace pelt::pose {
namespace {

constexpr std::size_t kFitted = 1000;  ///< vertices that are used
constexpr double kRidge = 1e-7;        ///< of the mean diagonal

struct Normal {
    Eigen::MatrixXd matrix, right;  ///< M^T M and M^T V'
};

Normal normalEquations(const PoseRig::Data& rig, std::span<const Vec3f> posed) {
    const auto size = Eigen::Index(4 * rig.columns);
    Normal normal{Eigen::MatrixXd::Zero(size, size), Eigen::MatrixXd::Zero(size, 3)};
    std::vector<std::pair<Eigen::Index, double>> row;
    const std::size_t stride = (rig.positions.size() + kFitted - 1) / kFitted;
    for (std::size_t v = 0; v < rig.positions.size(); v += stride) {
        row.clear();
        forRow(rig.rows, v, rig.positions[v], rig.frames,
               [&](std::size_t at, double x) { row.emplace_back(Eigen::Index(at), x); });
        const Vec3d target = (Vec3d(posed[rig.weld.representative[v]]) - rig.center) / rig.scale;
        for (const auto& [i, x] : row) {
            for (const auto& [j, y] : row) normal.matrix(j, i) += x * y;
            for (int b = 0; b < 3; ++b) normal.right(i, b) += x * target[b];
        }
    }
    return normal;
}

}  // namespace

std::vector<Mat3d> fitPose(const PoseRig::Data& rig, std::span<const Vec3f> posed) {
    const Normal normal = normalEquations(rig, posed);
    const Eigen::Index soft = rig.free.cols(), all = soft + rig.null.cols();
    Eigen::MatrixXd basis(rig.free.rows(), all);
    basis << rig.free, rig.null;
    const Eigen::MatrixXd matrix = basis.transpose() * normal.matrix * basis, right = basis.transpose() * normal.right;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(matrix);
    const Eigen::VectorXd inverse = (eigen.eigenvalues().array() + kRidge * matrix.diagonal().mean()).inverse();
    const Eigen::MatrixXd found =
        eigen.eigenvectors() * (inverse.asDiagonal() * (eigen.eigenvectors().transpose() * right));
    const Eigen::MatrixXd s = rig.covariance * found.topRows(soft);
    std::vector<Mat3d> rotations(rig.clusters);
    for (std::size_t k = 0; k < rig.clusters; ++k) {
        Mat3d covariance;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) covariance(a, b) = s(3 * Eigen::Index(k) + a, b);
        rotations[k] = runtime::nearestRotation(covariance).rotation;
    }
    return rotations;
}

}  // namespace pelt::pose
