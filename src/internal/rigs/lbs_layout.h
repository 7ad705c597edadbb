#pragma once

#include "blocks.h"
#include "rig_bytes.h"

namespace pelt::runtime {

/// M_to − M_from.
struct LbsDifference {
    std::uint32_t from, to;
};

/// The joint whose matrix the vertices of these lanes start from.
struct LbsBase {
    std::uint32_t joint;
    std::uint32_t lanes;  ///< bit l: lane l
};

/// Consecutive blocks whose vertices all start from one joint, or one block whose vertices start from several.
struct LbsRun {
    std::uint32_t block;  ///< the first; the next run's is the end
    std::uint32_t base;   ///< likewise
};

/// Weights for Σ_j w_j M_j = M_a + Σ_{j≠a} w_j (M_j − M_a), a the base of a vertex: a block lists the differences that
/// any of its vertices has, and each listed one has one weight per vertex (0 if it does not influence it).
///
/// Why: a bone's numbers are broadcast instead of gathered, sixteen vertices share every load of them, any number of
/// influences is the same loop, and a base is one multiply-add less per number of a matrix. The differences are
/// computed once per pose and shared by all blocks, and a run keeps its base in registers.
struct LbsData {
    std::size_t vertex_count = 0;
    std::size_t joint_count = 0;                 ///< one more than the highest joint named
    std::span<const LbsDifference> differences;  ///< every one that an entry names, once
    std::span<const std::uint32_t> offsets;      ///< block b owns entries offsets[b] .. offsets[b + 1]
    std::span<const std::uint32_t> entries;      ///< differences; those of one base ascend by joint, so that copies of
                                                 ///< a vertex sum in one order wherever they are
    std::span<const LaneRow> rows;               ///< per entry, the weights; 0 in lanes with another base
    std::span<const LbsRun> runs;                ///< and one behind the last
    std::span<const LbsBase> bases;
    RestRows rest;
};

struct LbsHeader {
    RigHeader rig;
    std::uint64_t vertex_count = 0, joint_count = 0;
    ArrayAt<LbsDifference> differences;
    ArrayAt<std::uint32_t> offsets, entries;
    ArrayAt<LaneRow> rows;
    ArrayAt<LbsRun> runs;
    ArrayAt<LbsBase> bases;
    ArrayAt<VectorRows> positions, normals;
};

}  // namespace pelt::runtime
