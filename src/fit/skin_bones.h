#pragma once

#include <pelt/geometry/ray_tree.h>
#include <pelt/geometry/segments.h>
#include <pelt/rig/skeleton.h>

namespace pelt::fit {

/// What a user says about a joint.
enum class SkinChoice : std::uint8_t { automatic, skin, none };

/// The bones that may carry skin, by joint, as geometry::boneSegments draws them, except that
/// - joints that only steer (pole targets, IK handles, a root on the floor) or mark a place (finger tips, a hand's slot
///   for a sword) have none: see docs/bind.md for how they are told, never by a name alone;
/// - a leaf's bone ends shortly before it leaves the mesh, and follows the joint's own axis where the rig has one.
/// - a joint of several children has one bone, along its own axis, where the rig has one.
/// Empty where no joint lies inside the mesh, so that nothing can be told. `diagonal` is the size of the mesh;
/// `choices` is empty or has one entry a joint, which goes before what the shape says.
std::vector<geometry::BoneSegment> skinBones(const Skeleton& skeleton, const geometry::RayTree& tree, double diagonal,
                                             std::span<const SkinChoice> choices = {});

}  // namespace pelt::fit
