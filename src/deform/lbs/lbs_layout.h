#pragma once

#include <pelt/deform/lbs.h>

#include "../influence_blocks.h"

namespace pelt::deform {

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

/// Blocks of InfluenceBlocks, for Σ_j w_j M_j = M_a + Σ_{j≠a} w_j (M_j − M_a), a the base of a vertex.
///
/// Why: that is one multiply-add less per number of a matrix. The differences are a pose's, shared by all blocks, and a
/// run keeps its base in registers.
struct LbsRig::Packed {
    std::size_t vertex_count = 0;
    std::size_t joint_count = 0;             ///< one more than the highest joint named
    std::vector<LbsDifference> differences;  ///< every one that an entry names, once
    std::vector<std::uint32_t> offsets;      ///< block b owns entries offsets[b] .. offsets[b + 1]
    std::vector<std::uint32_t> entries;      ///< differences; those of one base ascend by joint, so that copies of
                                             ///< a vertex sum in one order wherever they are
    std::vector<InfluenceBlocks::Row> rows;  ///< per entry; 0 in lanes with another base
    std::vector<LbsRun> runs;                ///< and one behind the last
    std::vector<LbsBase> bases;
    RestMesh rest;
};

struct LbsPose::Data {
    std::shared_ptr<const LbsRig::Packed> rig;
    std::vector<Affine3f> joints;
    std::vector<Affine3f> differences;
};

}  // namespace pelt::deform
