#pragma once

#include "skin_problem.h"

namespace pelt::fit::bake {

/// Joints that could be added, as if all of them were, and their motion over the samples.
struct HelperPool {
    Skeleton skeleton;                     ///< the given one, candidates appended
    std::vector<rig::DrivenJoint> driven;  ///< the given ones, then one for each candidate, in the order of their slots
    std::size_t given_joints = 0, given_driven = 0;
    std::vector<std::vector<Affine3d>> poses;  ///< per sample, of all slots
};

/// Adds joints that rotate a part of the way of a joint, and joints that scale with the angle at it, for the joints at
/// whose vertices most of the error is.
void addDriven(SkinProblem& problem, std::span<const Weights> weights, HelperPool& pool);

/// Adds bones that a decomposition of the vertices in `sample` finds where the joints leave an error, with a polynomial
/// that drives each of them.
void addLearned(SkinProblem& problem, std::span<const std::uint32_t> sample, std::size_t count, HelperPool& pool,
                const Progress& progress);

}  // namespace pelt::fit::bake
