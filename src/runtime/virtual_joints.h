#pragma once

#include "runtime/layout/skeleton_layout.h"

namespace pelt::runtime {

/// Computes the worlds of the virtual joints from those of the other nodes; docs/driven_joints.md, kind ddm.
void driveVirtual(const SkeletonData& rig, std::span<Affine3f> worlds) noexcept;

}  // namespace pelt::runtime
