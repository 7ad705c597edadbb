// Splits the motion of a bone into a rotation and a stretch along fixed axes.
#include "stretch.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/eigen/eigen_mat3.h"
#include "core/eigen/eigen_solvers.h"

namespace pelt::fit {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Stretches that differ by less than this, relative to the largest, count as equal; their axes are then arbitrary.
/// Smaller than single precision, so that the product stays exact.
constexpr double kTie = 1e-7;
/// A frame that is rigid up to this tolerance is written as a rotation.
constexpr double kRigid = 2e-6;

/// Axes and their stretches, in the same order.
struct StretchAxes {
    Matrix3d q;
    Vector3d values;
};

/// Reorders and flips the axes so that they are nearest to the previous ones; the result is a rotation.
StretchAxes matchAxes(const StretchAxes& axes, const Matrix3d& before) {
    StretchAxes best = axes;
    double best_fit = -4;
    std::array<int, 3> order{0, 1, 2};
    do {
        for (int signs = 0; signs < 8; ++signs) {
            StretchAxes candidate;
            for (int c = 0; c < 3; ++c) {
                candidate.q.col(c) = axes.q.col(order[c]) * (signs >> c & 1 ? -1 : 1);
                candidate.values[c] = axes.values[order[c]];
            }
            const double fit = candidate.q.cwiseProduct(before).sum();
            if (fit > best_fit && candidate.q.determinant() > 0) best_fit = fit, best = candidate;
        }
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
}

/// If two stretches are equal, rotates their axes, in the plane that they span, toward the previous ones.
void turnEvenAxes(StretchAxes& axes, const Matrix3d& before) {
    const double tie = kTie * axes.values.maxCoeff();
    if (axes.values.maxCoeff() - axes.values.minCoeff() <= tie) {
        axes.q = before;
        return;
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        if (std::abs(axes.values[i] - axes.values[j]) > tie) continue;
        const Vector3d u = axes.q.col(i), v = axes.q.col(j);
        // The rotation by this angle maximizes u'·before_i + v'·before_j.
        const double angle =
            std::atan2(v.dot(before.col(i)) - u.dot(before.col(j)), u.dot(before.col(i)) + v.dot(before.col(j)));
        axes.q.col(i) = std::cos(angle) * u + std::sin(angle) * v;
        axes.q.col(j) = std::cos(angle) * v - std::sin(angle) * u;
        return;
    }
}

}  // namespace

Stretch stretchNear(const Mat3d& a, const Stretch& before) {
    const Eigen::JacobiSVD<Matrix3d> svd(toEigen(a), Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Matrix3d orthogonal = svd.matrixU() * svd.matrixV().transpose();
    const Matrix3d axes_before = toEigen(before.axes);
    StretchAxes axes = matchAxes({svd.matrixV(), svd.singularValues()}, axes_before);
    turnEvenAxes(axes, axes_before);

    // A mirror is moved from the orthogonal factor into the stretch: along one axis or along all three.
    Matrix3d rotation = orthogonal;
    Vector3d signs = Vector3d::Ones();
    if (orthogonal.determinant() < 0) {
        double best_fit = -4;
        for (const Vector3d& mirror :
             {Vector3d(-1, 1, 1), Vector3d(1, -1, 1), Vector3d(1, 1, -1), Vector3d(-1, -1, -1)}) {
            const Matrix3d candidate = orthogonal * axes.q * mirror.asDiagonal() * axes.q.transpose();
            const double fit = candidate.cwiseProduct(toEigen(before.rotation)).sum();
            if (fit > best_fit) best_fit = fit, rotation = candidate, signs = mirror;
        }
    }
    const Vector3d scale = axes.values.cwiseProduct(signs);
    return {fromEigen(rotation), fromEigen(axes.q), {scale[0], scale[1], scale[2]}};
}

bool isRotation(const Mat3d& a) {
    const Matrix3d m = toEigen(a);
    return (m.transpose() * m - Matrix3d::Identity()).cwiseAbs().maxCoeff() <= kRigid && m.determinant() > 0;
}

}  // namespace pelt::fit
