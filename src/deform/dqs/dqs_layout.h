#pragma once

#include <pelt/deform/dqs.h>

#include "../influence_blocks.h"

namespace pelt::deform {

struct JointPair {
    std::uint32_t first, second;
};

/// Where a pair of `blended` meets in a block.
struct Meeting {
    std::uint32_t pair;
    std::uint32_t entry;  ///< of the block's, the second joint's
    std::uint32_t lanes;  ///< bit l: the first joint is the heaviest of lane l, which has the second too
};

struct DqsRig::Packed {
    InfluenceBlocks blocks;
    std::vector<JointPair> blended;  ///< a vertex's heaviest joint and another of its joints, every pair once
    std::vector<JointPair> links;    ///< of those, a spanning forest: each link's second joint hangs on its
                                     ///< first, which came before
    std::vector<std::uint32_t> meeting_offsets;  ///< block b owns meetings meeting_offsets[b] .. meeting_offsets[b + 1]
    std::vector<Meeting> meetings;               ///< ascending by entry
    RestMesh rest;
    std::vector<Vec3d> centres;  ///< per joint, of its stretch
    Vec3f origin;                ///< the middle of the rest shape
};

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

/// Dual quaternions blend alike whatever the origins of both spaces, so small numbers are kept: rest positions count
/// from the rest shape's middle, posed ones from that middle moved by `shift`, which is added last. A character far
/// away loses no more than its result rounds.
struct DqsPose::Data {
    std::shared_ptr<const DqsRig::Packed> rig;
    std::vector<RigidJoint> rigid;      ///< per joint
    std::vector<StretchJoint> stretch;  ///< per joint
    Vec3f shift;
    bool stretched = false;             ///< some joint's stretch is not the identity
    std::vector<std::uint8_t> opposed;  ///< per pair of `blended`: the second joint's quaternion is to be negated
    bool aligned = false;               ///< no pair is opposed
    bool mirrored = false;              ///< some joint's stretch mirrors
};

}  // namespace pelt::deform
