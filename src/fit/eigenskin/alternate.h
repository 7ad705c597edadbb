#pragma once

#include <pelt/fit/decompose.h>

#include <Eigen/Core>

#include "low_rank.h"

namespace pelt::fit {

/// What alternating least squares needs; eigenskin.cpp has the notation.
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
    Eigen::MatrixXd modes;         ///< 3 rows per vertex, a column per mode
    Eigen::MatrixXd coefficients;  ///< a row per frame
    double energy = 0;             ///< E with them
};

/// An orthonormal basis of what the columns span, completed where they span less.
Eigen::MatrixXd orthonormalBasis(const Eigen::MatrixXd& columns);

/// Modes and coefficients in turn, each the best for the other, until the error hardly falls. `start` has a row per
/// frame and spans the coefficients to begin with.
EigenSkinFactors alternateFactors(const EigenSkinProblem& problem, const Eigen::MatrixXd& start, const Stage& stage);

}  // namespace pelt::fit
