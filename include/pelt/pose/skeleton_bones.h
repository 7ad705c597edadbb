#pragma once

#include <pelt/pose/skeleton_solver.h>
#include <pelt/rig/clip.h>

namespace pelt::pose {

/// A point shared by two bones of different branches, for example by a leg and a foot that is a child of its own
/// control.
struct Pin {
    std::uint32_t a = 0, b = 0;
    Vec3d place;  ///< at the start
};

/// The bones of a skeleton, one for each node that is a joint, parents first.
struct SkeletonBones {
    std::vector<Bone> bones;
    std::vector<std::uint32_t> node;    ///< of each bone
    std::vector<std::int32_t> bone_of;  ///< of each node, or -1
    std::vector<double> share_below;    ///< fraction of the skin carried by each bone and its descendants
    std::vector<std::int32_t> partner;  ///< the mirrored bone of a symmetric skeleton, or -1
    std::size_t body = 0;               ///< the bone that carries most of the skin and can translate
    std::vector<Pin> pins;
    double size = 1;
    bool together =
        false;  ///< most of the skin is carried by descendants of one bone: a skeleton, not unconnected bones
};

/// The known data of a skeleton and its motion.
struct SkeletonCase {
    const Skeleton* skeleton = nullptr;
    std::span<const Clip> clips;       ///< clips of the file
    std::span<const Affine3d> worlds;  ///< of its nodes at the start
    std::span<const double> skin;      ///< amount of skin carried by each node
    double size = 1;                   ///< of the figure
};

/// Finds where bones are, which can translate, and which way hinges bend: as in the clips; without clips, as in the
/// bind pose; if that is straight, knees move forward and elbows backward. Both halves of a symmetric
/// skeleton get the same result.
SkeletonBones bonesOf(const SkeletonCase& given);

}  // namespace pelt::pose
