#pragma once

#include <pelt/rig/driven_joints.h>

namespace pelt::rig {

/// Poses that show what a skin does when every joint works: each bent by 90° and twisted by 60°, alone and with its
/// neighbors along the chain. Joints that are far enough apart move in one pose, so that their number is fixed.
struct RangeOfMotion {
    struct Limits {
        double bend[2] = {-90, 90}, twist[2] = {-60, 60};  ///< degrees, the least and the most
    };
    Limits limits;               ///< of joints that have none of their own
    std::vector<Limits> joints;  ///< per joint slot; empty: none has its own
    double reach = 1;            ///< how far of the way to their limits joints go
};

/// Per pose and joint slot, the map from rest space to posed space. The rest pose of the nodes is not among them.
std::vector<std::vector<Affine3f>> rangeOfMotion(const Skeleton& skeleton, const RangeOfMotion& range = {});

/// The same range with joints that follow others left to do so: they have no motion of their own.
RangeOfMotion rangeOfFreeJoints(const Skeleton& skeleton, std::span<const DrivenJoint> driven, RangeOfMotion range);

/// The name of the clip that rangeClip makes, and of what `--clip` takes for it.
inline constexpr const char* kRangeClip = "@range";

/// The poses of the range of motion as a clip: from the bind pose to each and back, eased, a second a pose.
Clip rangeClip(const Skeleton& skeleton, std::span<const DrivenJoint> driven = {}, const RangeOfMotion& range = {});

/// Local transforms of all nodes that give these skin matrices (one per slot). Nodes that no slot binds stand to their
/// parent as in the bind pose.
std::vector<Affine3d> localsOfSkin(const Skeleton& skeleton, std::span<const Affine3d> bones);

}  // namespace pelt::rig
