// The polar decomposition by singular values, for preparation and reference.
#include "polar.h"

#include "core/eigen/eigen_mat3.h"
#include "core/eigen/eigen_solvers.h"

namespace pelt::deform {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Singular values this close, relative to the largest, count as equal: single-precision bones are not rigid more
/// exactly than this.
constexpr double kTie = 2e-6;

/// The unit axis to mirror: in the space of the smallest singular value, next to a rest-space axis.
Vector3d mirrorAxis(const Matrix3d& v, const Vector3d& values) {
    Matrix3d projector = Matrix3d::Zero();
    for (int i = 0; i < 3; ++i)
        if (values[i] - values[2] <= kTie * values[0]) projector += v.col(i) * v.col(i).transpose();
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (projector(i, i) > projector(axis, axis) + 1e-3) axis = i;
    return projector.col(axis).normalized();
}

}  // namespace

Polar polarDecompose(const Mat3d& a) noexcept {
    if (!isFinite(a.col[0]) || !isFinite(a.col[1]) || !isFinite(a.col[2])) return {};
    const Eigen::JacobiSVD<Matrix3d> svd(toEigen(a), Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Matrix3d& u = svd.matrixU();
    const Matrix3d& v = svd.matrixV();
    const Vector3d& values = svd.singularValues();

    Matrix3d rotation = u * v.transpose();
    Matrix3d mirror = Matrix3d::Identity();
    if (rotation.determinant() < 0) {
        const Vector3d axis = mirrorAxis(v, values);
        mirror -= 2 * axis * axis.transpose();
        rotation = rotation * mirror;
    }
    const Matrix3d stretch = mirror * v * values.asDiagonal() * v.transpose();
    const bool mirrored = determinant(a) < 0 && values[2] > kTie * values[0];
    return {fromEigen(rotation), fromEigen((stretch + stretch.transpose()) / 2), mirrored ? fromEigen(mirror) : Mat3d{},
            mirrored};
}

}  // namespace pelt::deform
