#pragma once

#include "pose_part.h"

namespace pelt::pipeline {

/// What solving, the rigid joints and measuring share.
struct PoseJob {
    const Character& character;
    std::span<const PoseHandle> handles;
    const PoseRequest& request;
    const PoseStart& start;
    const HandlePlan& plan;
    const PosePart* part;         ///< what is solved; null: the whole character
    const pose::PoseRig& rig;     ///< of the part
    std::vector<double> times{};  ///< of the frames
    bool skeleton = false;        ///< bones hang together, see hasSkeleton
    bool rigid = false;           ///< the sequence is that of rigid joints

    /// Handles of joints that say where they go without a matrix: a skeleton can follow them.
    bool byJoints() const;
};

}  // namespace pelt::pipeline
