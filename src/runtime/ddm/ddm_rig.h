#pragma once

#include "runtime/layout/ddm_layout.h"

namespace pelt::runtime {

/// A joint as a base: x ↦ A (x − origin) + t, A by columns, its rotation, and that as a quaternion.
struct alignas(64) DdmBase {
    float a[9], t[3], rotation[9], quaternion[4];
};

/// The contribution of a joint relative to its base: differences of the same numbers, the quaternion on the base's
/// hemisphere.
struct alignas(64) DdmDifference {
    float a[9], t[3], quaternion[4];
    float rotation[9];
};

/// A joint before its numbers are rounded.
struct DdmJoint {
    Affine3d bone;  ///< relative to the rig's origin
    Mat3d rotation;
    Quatd quaternion;
};

struct DdmPose::Data {
    const std::byte* bytes;  ///< of the rig
    DdmData rig;
    std::span<DdmBase> bases;              ///< as rig.bases
    std::span<DdmDifference> differences;  ///< as rig.pairs
    std::span<DdmJoint> joints;            ///< as rig.joints
    bool rigid = true;                     ///< no joint scales, shears or mirrors
};

/// Places the arrays of a pose in the caller's memory, without initializing them.
DdmPose::Data* layOutPose(const DdmRig& rig, std::span<std::byte> memory) noexcept;

}  // namespace pelt::runtime
