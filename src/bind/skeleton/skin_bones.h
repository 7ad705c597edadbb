#pragma once

#include <pelt/geometry/ray_tree.h>
#include <pelt/geometry/segments.h>
#include <pelt/rig/skeleton.h>

namespace pelt::bind {

/// The user's choice for a joint.
enum class SkinChoice : std::uint8_t { automatic, skin, none };

/// The bones that may carry skin, by joint, as in geometry::boneSegments, except that
/// - control joints (pole targets, IK handles, a root on the floor) and markers (finger tips, a hand's slot for a
/// sword) have no bone; docs/bind.md describes how they are recognized, never by name alone;
/// - the bone of a leaf ends shortly before it leaves the mesh, and follows the joint's own axis if the rig has one;
/// - a joint with several children has one bone, along its own axis, if the rig has one. Empty if no joint lies inside
/// the mesh, so that nothing can be inferred. `diagonal` is the size of the mesh; `choices` is empty or has one entry
/// per joint, which overrides what the shape suggests.
std::vector<geometry::BoneSegment> skinBones(const Skeleton& skeleton, const geometry::RayTree& tree, double diagonal,
                                             std::span<const SkinChoice> choices = {});

}  // namespace pelt::bind
