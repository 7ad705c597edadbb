#pragma once

#include <pelt/fit/decompose.h>

#include <Eigen/Core>

#include "low_rank.h"

namespace pelt::fit {

/// The input of alternating least squares; eigenskin.cpp has the notation.
struct EigenSkinProblem {
    const Decomposition& decomposition;
    Eigen::Index rank = 0;
    std::vector<float> data;  ///< y_i^t: 3 numbers per vertex, frame by frame
    double energy = 0;        ///< Σ |r|², E without corrections

    Eigen::Index vertices() const { return static_cast<Eigen::Index>(decomposition.rest.size()); }
    Eigen::Index frames() const { return static_cast<Eigen::Index>(decomposition.frames); }
    DataMatrix matrix() const { return {data.data(), 3 * vertices(), frames()}; }
};

struct EigenSkinFactors {
    Eigen::MatrixXd modes;         ///< 3 rows per vertex, one column per mode
    Eigen::MatrixXd coefficients;  ///< a row per frame
    double energy = 0;             ///< E with them
};

/// An orthonormal basis of the span of the columns, completed if the columns are linearly dependent.
Eigen::MatrixXd orthonormalBasis(const Eigen::MatrixXd& columns);

/// Solves for modes and coefficients alternately until the error hardly decreases. `start` has one row per frame; its
/// columns span the initial coefficients.
EigenSkinFactors alternateFactors(const EigenSkinProblem& problem, const Eigen::MatrixXd& start, const Stage& stage);

}  // namespace pelt::fit
