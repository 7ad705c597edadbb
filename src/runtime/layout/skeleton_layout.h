#pragma once

#include <pelt/runtime/skeleton.h>

#include "text_table.h"

namespace pelt::runtime {

/// A map whose numbers are stored without the last row, which is 0, 0, 0, 1.
inline Affine3f affineOf(const float (&m)[12]) noexcept {
    return {Mat3f{{{m[0], m[1], m[2]}, {m[3], m[4], m[5]}, {m[6], m[7], m[8]}}}, {m[9], m[10], m[11]}};
}

struct NodeRecord {
    std::int32_t parent = -1;
    LocalTransform rest;
};

struct JointRecord {
    float inverse_bind[16] = {};  ///< by columns
    std::uint32_t node = 0;
};

/// A rotation that is an input of a learned joint.
struct InputRecord {
    std::uint32_t node = 0, unused = 0;
    Quatd bind_rotation;
};

/// A node that virtual joints follow. `unbind` (3x4 by columns) maps root space to the node's space in the bind pose,
/// so that D = world · unbind is the motion of the node since then.
struct VirtualSource {
    float unbind[12] = {};
    std::uint32_t node = 0;
};

/// A virtual joint. [S q] = Σ D · block over its inputs; `frame` (3x4 by columns) is a rotation and a position: where
/// the joint is in the bind pose, but for the scale of its axes.
struct VirtualJointRecord {
    std::uint32_t node = 0;
    std::uint32_t first = 0;  ///< of its inputs; the next joint's is the end
    float frame[12] = {};
    float scale = 1;
};

/// The block of an input in root space, frame · [W move; turn^T ω]: 4x4 by columns.
struct alignas(64) VirtualBlock {
    float m[16] = {};
};

/// Any other driven joint. The values are those of rig::DrivenJoint.
struct DriverRecord {
    std::uint32_t node = 0, driver = 0, parent = 0;
    DriverKind kind = DriverKind::rotation;
    std::uint32_t axis = 0, reciprocal = 0;
    std::uint32_t first_child = 0, first_input = 0;  ///< the next driver's are the ends
    double fraction = 0, k = 0, bind_scale = 1;
    Quatd bind_rotation;
    Trs placed, rest;
};

struct SkeletonHeader;

struct SkeletonData {
    std::span<const NodeRecord> nodes;
    std::span<const JointRecord> joints;
    std::span<const DriverRecord> drivers;  ///< and one past the last
    std::span<const std::uint32_t> children;
    std::span<const InputRecord> inputs;
    std::span<const double> coefficients;  ///< six rows of kLearnedTerms for each input of a driver
    std::span<const VirtualSource> sources;
    std::span<const VirtualJointRecord> virtual_joints;  ///< ascending by node, and one past the last
    std::span<const VirtualBlock> blocks;                ///< per input of a virtual joint
    std::span<const std::uint32_t> block_sources;        ///< likewise: the source that it follows
    TextTable names;                                     ///< per node

    using Header = SkeletonHeader;
    void locate(const SkeletonHeader& header, RigArrays& arrays) noexcept;
    bool isSound() const noexcept;
};

struct SkeletonHeader {
    RigHeader rig;
    ArrayAt<NodeRecord> nodes;
    ArrayAt<JointRecord> joints;
    ArrayAt<DriverRecord> drivers;
    ArrayAt<std::uint32_t> children;
    ArrayAt<InputRecord> inputs;
    ArrayAt<double> coefficients;
    ArrayAt<VirtualSource> sources;
    ArrayAt<VirtualJointRecord> virtual_joints;
    ArrayAt<VirtualBlock> blocks;
    ArrayAt<std::uint32_t> block_sources;
    TextTableAt names;
};

}  // namespace pelt::runtime
