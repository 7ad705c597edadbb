#pragma once

#include <pelt/rig/driven_joints.h>

#include "runtime/driven_local.h"

/// What one driver of a skeleton does in a pose of its nodes.
namespace pelt::rig {

/// The map from a node's space to that of its ancestor.
Affine3d chainOf(const Skeleton& skeleton, std::span<const Affine3d> locals, std::uint32_t ancestor,
                 std::uint32_t node);

/// b₁ and b₂ of [MohrGleicher03] §4.1, in the space of the driver's parent.
runtime::BonesAtDriver bonesAt(const Skeleton& skeleton, std::uint32_t driver, const DrivenScale& scale,
                               std::span<const Affine3d> locals);

/// s of [MohrGleicher03] §4.1 in a pose.
double scaleAt(const Skeleton& skeleton, std::uint32_t driver, const DrivenScale& scale,
               std::span<const Affine3d> locals);

/// The local transform of a driven joint, computed from those of the other nodes.
Trs drivenLocal(const Skeleton& skeleton, const DrivenJoint& joint, std::span<const Affine3d> locals);

}  // namespace pelt::rig
