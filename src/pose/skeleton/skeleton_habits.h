#pragma once

#include <pelt/pose/skeleton_bones.h>
#include <pelt/rig/mirror_joints.h>

namespace pelt::pose {

/// A sample of a clip: per bone, the position and rotation of the joint in the character's space, and its rotation from
/// the bind pose relative to its parent.
struct ClipPose {
    std::vector<Affine3d> worlds;
    std::vector<Vec3d> turns;  ///< rotation vectors in the bind pose's axes
};

/// Samples distributed over all clips, a few hundred at most.
std::vector<ClipPose> clipPoses(const Skeleton& skeleton, std::span<const Clip> clips, const SkeletonBones& bones);

/// How far the joint of `bone` deviates from its usual position relative to `seen_from`, in this fraction of the
/// samples.
double slideOver(std::span<const ClipPose> poses, std::size_t bone, std::size_t seen_from, double share);

/// Which way limbs bend. `rest` are the joints in the bind pose, `sides` what their names say; one per bone.
void findHinges(std::span<const ClipPose> poses, std::span<const Vec3d> rest, std::span<const rig::Side> sides,
                SkeletonBones& bones);

}  // namespace pelt::pose
