#pragma once

#include <pelt/pose/skeleton_solver.h>
#include <pelt/rig/clip.h>

namespace pelt::pose {

/// A point that two bones of different branches keep in common, as a foot on its own control does with the leg.
struct Pin {
    std::uint32_t a = 0, b = 0;
    Vec3d place;  ///< at the start
};

/// The bones of a skeleton, one for each node that is a joint, parents first.
struct SkeletonBones {
    std::vector<Bone> bones;
    std::vector<std::uint32_t> node;    ///< of each bone
    std::vector<std::int32_t> bone_of;  ///< of each node, or -1
    std::vector<double> share_below;    ///< of the skin, that each bone and all that hangs on it carry
    std::vector<std::int32_t> partner;  ///< the bone on the other side of a symmetric skeleton, or -1
    std::size_t body = 0;               ///< the bone that carries most and slides
    std::vector<Pin> pins;
    double size = 1;
    bool together = false;  ///< most of what carries skin hangs on one bone: a skeleton, not a heap of bones
};

/// What is known of a skeleton and how it moves.
struct SkeletonCase {
    const Skeleton* skeleton = nullptr;
    std::span<const Clip> clips;       ///< how the file moves it
    std::span<const Affine3d> worlds;  ///< of its nodes at the start
    std::span<const double> skin;      ///< how much skin each node carries
    double size = 1;                   ///< of the figure
};

/// Where bones are, which slide, which way hinges bend: as the clips do; without them, as the bind pose is bent; where
/// that is straight, knees forwards and elbows backwards. Both halves of a skeleton that is symmetric get the same.
SkeletonBones bonesOf(const SkeletonCase& given);

}  // namespace pelt::pose
