#pragma once

#include "pose_job.h"

namespace pelt::verbs {

/// The free pose [Jacobson12]: joints have the affine transforms that minimize the energy of the skin. Frames are
/// solved in order, each starting from the previous one.
class FreePoser {
public:
    explicit FreePoser(const PoseJob& job);

    /// Solves the next frame. Energies and convergence are stored in `result`.
    void solve(std::size_t frame, PoseResult& result, const Progress& progress);

    /// Per joint slot, from the start to the pose.
    std::vector<Affine3d> joints() const;

    /// The vertices, moved with all weights of the rig.
    void positions(std::span<Vec3f> out) const;

private:
    void setTargets(pose::Solver<double>& solver, std::size_t constraints, double time) const;
    void refuseConflicts(double time) const;

    const PoseJob& job_;
    HandlePlan solved_;
    pose::Solver<double> solver_;
    std::vector<Affine3d> transforms_;
};

}  // namespace pelt::verbs
