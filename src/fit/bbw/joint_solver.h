#pragma once

#include <functional>

#include "biharmonic_system.h"

namespace pelt::fit::bbw {

struct JointResult {
    int steps = 0;
    bool solved = false;  ///< false: the limit of steps was reached first; the weights are the best found
};

/// Turns weights that were solved handle by handle and divided by their sums into those that minimise the energy of all
/// handles together over w >= 0, Σ w = 1. `weights`: one column a handle, rows as the system's; its rows have sum 1,
/// or 0 where no handle reaches. `pause` is called between steps, on the calling thread, with a share from 0 to 1,
/// and may throw.
JointResult solveJointly(const BiharmonicSystem& system, Eigen::MatrixXd& weights,
                         const std::function<void(double)>& pause, int limit = 60);

}  // namespace pelt::fit::bbw
