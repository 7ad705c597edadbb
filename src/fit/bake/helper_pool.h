#pragma once

#include "skin_problem.h"

namespace pelt::fit::bake {

/// Candidate joints, as if all were added, and their motion over the samples.
struct HelperPool {
    Skeleton skeleton;                     ///< the given one, candidates appended
    std::vector<rig::DrivenJoint> driven;  ///< the given ones, then one per candidate, in the order of their slots
    std::size_t given_joints = 0, given_driven = 0;
    std::vector<std::vector<Affine3d>> poses;  ///< per sample, of all slots
};

/// Adds joints that follow a fraction of a joint's rotation, and joints that scale with the angle at it, for the joints
/// whose vertices have most of the error.
void addDriven(SkinProblem& problem, std::span<const Weights> weights, HelperPool& pool);

/// Adds bones that a decomposition of the vertices in `sample` finds for the remaining error, each with a polynomial
/// that drives it.
void addLearned(SkinProblem& problem, std::span<const std::uint32_t> sample, std::size_t count, HelperPool& pool,
                const Progress& progress);

}  // namespace pelt::fit::bake
