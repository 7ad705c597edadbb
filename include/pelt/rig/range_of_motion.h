#pragma once

#include <pelt/rig/character.h>

namespace pelt::rig {

/// Poses that exercise every joint: each is bent by 90° and twisted by 60°, alone and together with its neighbors along
/// the chain. Joints that are far enough apart move in the same pose, so that the number of poses does not depend on
/// the skeleton. The joint in the middle of the skeleton stays in place: the root moves instead, so that the figure
/// keeps upright while its hips turn.
struct RangeOfMotion {
    struct Limits {
        double bend[2] = {-90, 90}, twist[2] = {-60, 60};  ///< degrees, minimum and maximum
    };
    Limits limits;               ///< of joints without limits of their own
    std::vector<Limits> joints;  ///< per joint slot; empty: no joint has its own
    double reach = 1;            ///< fraction of the limits that joints reach
    /// Per joint slot: the slot whose limb it belongs to, instead of the joint above it; -1, or empty: none.
    std::vector<std::int32_t> carriers;
    std::vector<char> driven;  ///< per joint slot: follows other joints, so that no bone leads to it; empty: none
};

/// Per pose and joint slot, the map from rest space to posed space. The rest pose of the nodes is not among them.
std::vector<std::vector<Affine3f>> rangeOfMotion(const Skeleton& skeleton, const RangeOfMotion& range = {});

/// Poses in which every joint has a bend and a twist of its own, most of them moderate. The same for every call.
std::vector<std::vector<Affine3f>> mixedPoses(const Skeleton& skeleton, const RangeOfMotion& range, std::size_t count);

/// The same range without motion of the driven joints, which follow their drivers.
RangeOfMotion rangeOfFreeJoints(const Skeleton& skeleton, std::span<const DrivenJoint> driven, RangeOfMotion range);

/// Per joint slot, the slot of another branch that the joint belongs to: nothing above it carries skin, and its own
/// skin is one surface with that slot's. A foot below a control on the floor belongs to the shin. -1: the joint above
/// it is the right one. Empty if that is so for all.
std::vector<std::int32_t> limbCarriers(const Character& character);

/// The range without motion of the driven joints, in which joints move with the limb that they belong to.
RangeOfMotion rangeOfFigure(const Character& character, RangeOfMotion range = {});

/// The name of the clip that rangeClip makes, and what `--clip` calls it.
inline constexpr const char* kRangeClip = "@range";

/// The poses of the range of motion as a clip: from the bind pose to each pose and back, eased, one second per pose.
Clip rangeClip(const Skeleton& skeleton, std::span<const DrivenJoint> driven = {}, const RangeOfMotion& range = {});

/// Local transforms of all nodes that give these skin matrices (one per slot). Nodes without a slot keep their
/// transform relative to their parent in the bind pose.
std::vector<Affine3d> localsOfSkin(const Skeleton& skeleton, std::span<const Affine3d> bones);

}  // namespace pelt::rig
