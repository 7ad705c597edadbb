#pragma once

#include "runtime/layout/skeleton_layout.h"

namespace pelt::runtime {

/// The maps from rest space to posed space: world · inverse bind of each joint.
void moveFromBind(std::span<const JointRecord> joints, std::span<const Affine3f> worlds,
                  std::span<Affine3f> bones) noexcept;

/// [S q] (columns of four) of the virtual joints [first, first + sums.size()), whose sources have these motions,
/// sixteen numbers each.
void sumVirtualInputs(const SkeletonData& rig, std::size_t first, const float* motions,
                      std::span<Affine3f> sums) noexcept;

/// Replaces S in each [S q] by the nearest rotation; by numbers that are not numbers if S determines none.
void turnVirtualJoints(std::span<Affine3f> sums) noexcept;

}  // namespace pelt::runtime
