#pragma once

#include "pose_part.h"

namespace pelt::verbs {

/// Data shared by solving, rigid joints and measuring.
struct PoseJob {
    const Character& character;
    std::span<const PoseHandle> handles;
    const PoseRequest& request;
    const PoseStart& start;
    const HandlePlan& plan;
    const PosePart* part;          ///< the part to solve; null: the whole character
    const pose::PoseRig& rig;      ///< of the part
    std::vector<double> times{};   ///< of the frames
    std::optional<Vec3d> plane{};  ///< the normal of the plane that a flat figure is posed in
    bool skeleton = false;         ///< bones are connected, see hasSkeleton
    bool rigid = false;            ///< the sequence is that of rigid joints

    /// Handles of joints with a target but without a matrix: a skeleton can follow them.
    bool byJoints() const;
};

}  // namespace pelt::verbs
