#pragma once

#include "blocks.h"
#include "rig_bytes.h"

namespace pelt::runtime {

/// M_to − M_from.
struct LbsDifference {
    std::uint32_t from, to;
};

/// The base of these lanes: the joint whose matrix their sums start with.
struct LbsBase {
    std::uint32_t joint;
    std::uint32_t lanes;  ///< bit l: lane l
};

/// Consecutive blocks whose vertices all have the same base, or one block whose vertices have several.
struct LbsRun {
    std::uint32_t block;  ///< its first; the first of the next run is the end
    std::uint32_t base;   ///< likewise
};

/// Where a block of a compact rig uses a difference.
struct LbsCompactEntry {
    std::uint16_t difference;
    std::uint16_t lanes;  ///< bit l: lane l
    std::uint16_t row;    ///< of the block's own; differences that have no lane in common share a row
};

/// The normals of one block, by component, in units of 1/32767.
struct alignas(32) CompactNormals {
    std::int16_t x[kLanes] = {}, y[kLanes] = {}, z[kLanes] = {};
};

struct LbsHeader;

/// Weights for Σ_j w_j M_j = M_a + Σ_{j≠a} w_j (M_j − M_a), a the base of a vertex: a block lists the differences that
/// any of its vertices has, and each listed one has one weight per vertex (0 if it does not influence it).
///
/// Why: a bone's numbers are broadcast instead of gathered, sixteen vertices share every load of them, the loop is the
/// same for any number of influences, and a base saves one multiply-add per number of a matrix. The differences are
/// computed once per pose and shared by all blocks, and a run keeps its base in registers.
///
/// Compact rigs have the same weights in fewer rows, which several differences share, and shorter normals.
struct LbsData {
    std::size_t vertex_count = 0;
    std::size_t joint_count = 0;                 ///< one more than the highest joint in use
    std::span<const LbsDifference> differences;  ///< every difference that an entry uses, once
    std::span<const std::uint32_t> offsets;      ///< block b owns entries offsets[b] .. offsets[b + 1]
    std::span<const std::uint32_t> entries;      ///< differences; those of one base ascend by joint, so that copies of
                                                 ///< a vertex are summed in the same order wherever they are
    std::span<const LaneRow> rows;               ///< per entry, the weights; 0 in lanes with another base
    std::span<const LbsCompactEntry> compact_entries;  ///< instead of `entries`,
    std::span<const std::uint32_t> row_offsets;        ///< with the rows of each block as in `offsets`,
    std::span<const CompactNormals> compact_normals;   ///< and per block, instead of the normals of `rest`
    std::span<const LbsRun> runs;                      ///< and one past the last
    std::span<const LbsBase> bases;
    RestRows rest;

    using Header = LbsHeader;
    void locate(const LbsHeader& header, RigArrays& arrays) noexcept;
    bool isSound() const noexcept;
};

struct LbsHeader {
    RigHeader rig;
    std::uint64_t vertex_count = 0, joint_count = 0;
    ArrayAt<LbsDifference> differences;
    ArrayAt<std::uint32_t> offsets, entries;
    ArrayAt<LaneRow> rows;
    ArrayAt<LbsCompactEntry> compact_entries;
    ArrayAt<std::uint32_t> row_offsets;
    ArrayAt<CompactNormals> compact_normals;
    ArrayAt<LbsRun> runs;
    ArrayAt<LbsBase> bases;
    ArrayAt<VectorRows> positions, normals;
};

}  // namespace pelt::runtime
