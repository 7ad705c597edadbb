#pragma once

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

/// Eigen's dense solvers, compiled once for all modules (src/core/eigen/eigen_solvers.cpp): otherwise they take a fifth
/// of the build time. Pass a plain matrix to SelfAdjointEigenSolver; for an expression Eigen would compile it again.
extern template class Eigen::HouseholderQR<Eigen::MatrixXd>;
extern template class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;
extern template class Eigen::JacobiSVD<Eigen::Matrix3d>;
extern template class Eigen::JacobiSVD<Eigen::MatrixXd>;
extern template Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>& Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&, int);
