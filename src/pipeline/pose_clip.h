#pragma once

#include "pose_start.h"

namespace pelt::pipeline {

/// Keys of a clip, one a frame, of joints that moved from the start.
class PoseClip {
public:
    PoseClip(const Character& character, const PoseStart& start);

    /// `motions`: per joint slot, from the start to the pose. Gives, per slot, the map from rest space to the pose that
    /// the clip holds: joints that others drive follow them.
    std::vector<Affine3d> add(double time, std::span<const Affine3d> motions);
    Clip take();

private:
    struct Keys {
        std::vector<float> translations, rotations, scales;
        Quatd last;
    };
    std::vector<Affine3d> localsOf(std::span<const Affine3d> motions) const;
    void addMorphs(Clip& clip) const;

    const Character& character_;
    const PoseStart& start_;
    std::vector<std::int32_t> slot_;  ///< of each node, -1 for those that are no joint
    std::vector<bool> keyed_;         ///< nodes that get keys
    std::vector<float> times_;
    std::vector<Keys> keys_;
};

}  // namespace pelt::pipeline
