#pragma once

#include <functional>

#include "biharmonic_system.h"

namespace pelt::fit::bbw {

struct HandleSolution {
    std::vector<double> weights;  ///< per row, in [0, 1]
    int steps = 0;                ///< of the active set
    int searches = 0;             ///< of them, by the slower method that always ends
    bool solved = true;           ///< false: the limit of steps was reached first, and this is close at best
};

struct SolverLimits {
    bool rough = false;       ///< ends as soon as less than a fifth of the free vertices changes
    int quick_steps = 60;     ///< of the primal-dual active set
    int careful_steps = 400;  ///< of the primal active set, where that was not enough
};

/// The bounded minimum for one handle. `pause` is called between steps and may throw.
HandleSolution solveHandle(const BiharmonicSystem& system, std::size_t handle, const std::function<void()>& pause,
                           const SolverLimits& limits = {});

}  // namespace pelt::fit::bbw
