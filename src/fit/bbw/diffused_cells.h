#pragma once

#include <functional>

#include "biharmonic_system.h"

namespace pelt::fit::bbw {

/// Weights to start from: the handles' cells, blurred. One column a handle, rows as the system's; not negative, with
/// sum 1, or 0 where no handle reaches. `pause` is called now and then, on the calling thread, with a share from 0 to
/// 1, and may throw. Throws Error (bad input) where the Laplacian has no factor.
Eigen::MatrixXd diffusedCells(const BiharmonicSystem& system, const std::function<void(double)>& pause);

}  // namespace pelt::fit::bbw
