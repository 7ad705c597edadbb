#pragma once

#include <functional>

#include "biharmonic_system.h"

namespace pelt::bind::bbw {

struct JointResult {
    int steps = 0;
    bool solved = false;  ///< false: the limit of steps was reached first; the weights are the best found
};

/// Improves weights that were solved handle by handle and normalized: minimizes the energy of all handles together over
/// w >= 0, Σ w = 1. `weights`: one column per handle, rows as in the system; rows sum to 1, or 0 if no handle reaches
/// them. `pause` is called between steps, on the calling thread, with a fraction from 0 to 1, and may throw.
JointResult solveJointly(const BiharmonicSystem& system, Eigen::MatrixXd& weights,
                         const std::function<void(double)>& pause, int limit = 60);

}  // namespace pelt::bind::bbw
