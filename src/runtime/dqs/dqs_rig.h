#pragma once

#include <pelt/runtime/dqs.h>

#include "runtime/layout/dqs_layout.h"

namespace pelt::runtime {

/// A rigid map as a unit dual quaternion q + ε d, both (x, y, z, w).
struct alignas(32) RigidJoint {
    float q[4] = {0, 0, 0, 1};
    float d[4] = {};
};

/// A stretch y ↦ S y + offset and its reflection; symmetric matrices as xx, xy, xz, yy, yz, zz.
struct alignas(64) StretchJoint {
    float stretch[6] = {1, 0, 0, 1, 0, 1};
    float offset[3] = {};
    float mirror[6] = {1, 0, 0, 1, 0, 1};
    std::uint32_t stretches = 0;  ///< 1: the stretch is not the identity
};

/// Blending dual quaternions does not depend on the origins of both spaces, so they are chosen to keep numbers small:
/// rest positions are relative to the middle of the rest shape, posed ones to that middle moved by `shift`, which is
/// added last. A character far from the origin loses no precision beyond the rounding of its result.
struct DqsPose::Data {
    const std::byte* bytes;  ///< of the rig
    DqsData rig;
    std::span<RigidJoint> rigid;      ///< per joint
    std::span<StretchJoint> stretch;  ///< per joint
    std::span<std::uint8_t> opposed;  ///< per pair of `blended`: the second joint's quaternion is to be negated
    Vec3f shift;
    bool stretched = false;  ///< some joint's stretch is not the identity
    bool aligned = true;     ///< no pair is opposed
    bool mirrored = false;   ///< some joint's stretch mirrors
};

}  // namespace pelt::runtime
