#pragma once

#include "blocks.h"
#include "rig_bytes.h"

namespace pelt::runtime {

struct JointPair {
    std::uint32_t first, second;
};

/// The lanes of a block in which a pair of `blended` occurs.
struct Meeting {
    std::uint32_t pair;
    std::uint32_t entry;  ///< the block's entry of the second joint
    std::uint32_t lanes;  ///< bit l: the first joint is the heaviest in lane l, and the lane also has the second
};

struct DqsHeader;

/// A block lists the joints that any of its vertices has, and each listed joint has one weight per vertex (0 if the
/// joint does not influence it).
struct DqsData {
    std::size_t vertex_count = 0;
    std::size_t joint_count = 0;             ///< one more than the highest joint in use
    std::span<const std::uint32_t> offsets;  ///< block b owns entries offsets[b] .. offsets[b + 1]
    std::span<const std::uint32_t> joints;   ///< per entry, ascending in a block
    std::span<const LaneRow> rows;           ///< per entry, the weights
    std::span<const JointPair> blended;      ///< a vertex's heaviest joint and another of its joints, every pair once
    std::span<const JointPair> links;        ///< a spanning forest of those pairs: the second joint of each link is a
                                             ///< child of the first, which occurred earlier
    std::span<const std::uint32_t> meeting_offsets;  ///< block b owns meetings meeting_offsets[b] ..
    std::span<const Meeting> meetings;               ///< ascending by entry
    std::span<const Vec3d> centers;                  ///< per joint, of its stretch
    Vec3f origin;                                    ///< the middle of the rest shape
    RestRows rest;

    using Header = DqsHeader;
    void locate(const DqsHeader& header, RigArrays& arrays) noexcept;
    bool isSound() const noexcept;
};

struct DqsHeader {
    RigHeader rig;
    std::uint64_t vertex_count = 0, joint_count = 0;
    float origin[3] = {};
    std::uint32_t unused = 0;
    ArrayAt<std::uint32_t> offsets, joints;
    ArrayAt<LaneRow> rows;
    ArrayAt<JointPair> blended, links;
    ArrayAt<std::uint32_t> meeting_offsets;
    ArrayAt<Meeting> meetings;
    ArrayAt<Vec3d> centers;
    ArrayAt<VectorRows> positions, normals;
};

}  // namespace pelt::runtime
