#pragma once

#include <pelt/core/affine.h>
#include <pelt/rig/range_of_motion.h>

namespace pelt::pose {

/// The axis of a rotation times its angle, at most half a turn.
Vec3d rotationVector(const Mat3d& rotation);

/// The rotation of such a vector.
Mat3d rotationOf(const Vec3d& vector);

/// The radians by which a rotation, relative to the parent, is outside its limits: bends about two axes perpendicular
/// to the bone, and twist about it. `along` is the direction of the bone in the bind pose.
Vec3d outsideLimits(const Mat3d& turn, const Vec3d& along, const rig::RangeOfMotion::Limits& limits);

/// The rotation clamped to its limits.
Mat3d withinLimits(const Mat3d& turn, const Vec3d& along, const rig::RangeOfMotion::Limits& limits);

}  // namespace pelt::pose
