#pragma once

#include <Eigen/Core>

#include "stage.h"

namespace pelt::fit {

/// Single-precision data by columns, read only.
using DataMatrix = Eigen::Map<const Eigen::MatrixXf>;

/// The squared error of the best approximation X ≈ U Σ Vᵀ of some rank: the sum of the squared singular values beyond
/// it.
double energyBeyondRank(const DataMatrix& x, Eigen::Index rank, const Stage& stage);

/// The first `rank` columns of V. Some may be zero if X has a lower rank.
Eigen::MatrixXd rightSingularVectors(const DataMatrix& x, Eigen::Index rank, const Stage& stage);

}  // namespace pelt::fit
