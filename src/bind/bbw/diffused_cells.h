#pragma once

#include <functional>

#include "biharmonic_system.h"

namespace pelt::bind::bbw {

/// Initial weights: the blurred cells of the handles. One column per handle, rows as in the system; not negative, with
/// sum 1, or 0 if no handle reaches them. `pause` is called repeatedly, on the calling thread, with a fraction from 0
/// to 1, and may throw. Throws Error (bad input) if the Laplacian cannot be factored.
Eigen::MatrixXd diffusedCells(const BiharmonicSystem& system, const std::function<void(double)>& pause);

}  // namespace pelt::bind::bbw
