#pragma once

#include <pelt/pose/skeleton_bones.h>

#include "verbs/pose/pose_handles.h"

namespace pelt::verbs {

/// Poses the skeleton of a character by its handles: rigid joints, bones keep their lengths.
class SkeletonPoser {
public:
    /// `rig`: used to compute the stiffness of joints from the skin.
    SkeletonPoser(const Character& character, const PoseStart& start, std::span<const PoseHandle> handles,
                  const HandlePlan& plan, const PoseRequest& request, const pose::PoseRig& rig);

    /// Per joint slot, from the start to the pose.
    std::vector<Affine3d> poseAt(double time);

    /// The next pose is solved as if it were the first.
    void restart() { solver_->restart(); }

private:
    void setLimits(const Character& character, const PoseRequest& request);
    void setStiffness(const Skeleton& skeleton, const HandlePlan& plan, const pose::PoseRig& rig);
    pose::SkeletonGoals goalsAt(double time) const;
    std::vector<pose::Share> sharesOf(std::span<const std::uint32_t> vertices) const;

    const Character& character_;
    const PoseStart& start_;
    std::span<const PoseHandle> handles_;
    const HandlePlan& plan_;
    pose::SkeletonBones bones_;
    std::vector<std::uint32_t> bone_of_slot_;
    std::optional<pose::SkeletonSolver> solver_;
};

/// Whether there is a connected skeleton, not unconnected joints.
bool hasSkeleton(const Character& character, const PoseStart& start);

}  // namespace pelt::verbs
