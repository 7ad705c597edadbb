#pragma once

#include <pelt/rig/clip_builder.h>

#include "pose_start.h"

namespace pelt::verbs {

/// A frame as a player of the clip sees it.
struct ClipPose {
    std::vector<Affine3d> bones;   ///< per joint slot, from rest space to the pose
    std::vector<Affine3d> worlds;  ///< of all nodes
};

/// Keys of a clip, one per frame, of joints that moved from the start.
class PoseClip {
public:
    PoseClip(const Character& character, const PoseStart& start);

    /// `motions`: per joint slot, from the start to the pose. Driven joints follow their drivers.
    ClipPose add(double time, std::span<const Affine3d> motions);
    Clip take();

private:
    std::vector<Affine3d> localsOf(std::span<const Affine3d> motions) const;
    void addMorphs(Clip& clip) const;

    const Character& character_;
    const PoseStart& start_;
    std::vector<std::int32_t> slot_;  ///< the joint slot of each node, -1 for nodes that are not joints
    std::vector<bool> keyed_;         ///< nodes that get keys
    std::vector<float> times_;
    rig::ClipBuilder clip_;
};

}  // namespace pelt::verbs
