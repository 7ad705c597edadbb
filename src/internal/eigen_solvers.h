#pragma once

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

/// Eigen's dense solvers, compiled once for all modules (src/geometry/eigen_solvers.cpp): they are a fifth of the build
/// otherwise. SelfAdjointEigenSolver wants a plain matrix; for an expression Eigen compiles it anew.
extern template class Eigen::HouseholderQR<Eigen::MatrixXd>;
extern template class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;
extern template class Eigen::JacobiSVD<Eigen::Matrix3d>;
extern template class Eigen::JacobiSVD<Eigen::MatrixXd>;
extern template Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>& Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&, int);
