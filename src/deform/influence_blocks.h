#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/skin_weights.h>
#include <pelt/deform/lbs.h>

#include <cstdint>
#include <vector>

#include "runtime/layout/blocks.h"

namespace pelt::deform {

using runtime::kLanes;
using runtime::LaneRow;
using runtime::VectorRows;

/// Weights packed for kernels: sixteen consecutive vertices form a block, a block lists the joints that any of them
/// has, and each listed joint has one weight per vertex (0 if the joint does not influence it).
///
/// Why: a bone's numbers are broadcast instead of gathered, sixteen vertices share every load of them, and any number
/// of influences is the same loop. Neighboring vertices mostly share their joints, so few of the weights are zeros.
struct InfluenceBlocks {
    std::size_t vertex_count = 0;
    std::size_t joint_count = 0;         ///< one more than the highest joint in use
    std::vector<std::uint32_t> offsets;  ///< block b owns entries offsets[b] .. offsets[b + 1]
    std::vector<std::uint32_t> joints;   ///< per entry, ascending in a block: every vertex sums its joints in this
                                         ///< order, so that copies of a vertex are bit-identical wherever they are
    std::vector<LaneRow> rows;           ///< per entry, the weights

    std::size_t blockCount() const { return offsets.size() - 1; }
};

/// The index of a vertex's heaviest influence, the lowest joint on ties. There is at least one.
std::size_t heaviestInfluence(const SkinWeights& weights, std::size_t vertex);

/// Packs `weights`, rounded to multiples of 2^-24 that sum to exactly 1 per vertex: blending equal matrices is then
/// exact, and the rest pose is reproduced bit for bit. Throws Error (bad input) if `weights` does not have one row for
/// each of `vertex_count` vertices, if a vertex has no weight, or if a weight is negative (unless `signs` allows it) or
/// not finite.
InfluenceBlocks packInfluences(const SkinWeights& weights, std::size_t vertex_count,
                               WeightSigns signs = WeightSigns::convex);

/// A rest shape as stored in rigs, one row per block. `normals` is empty if the mesh has none.
struct RestMesh {
    std::size_t vertex_count = 0;
    std::vector<VectorRows> positions;
    std::vector<VectorRows> normals;
};

/// Packs the rest shape of a mesh. Throws Error (bad input) if the numbers of positions and normals differ.
RestMesh packRest(const Mesh& mesh);

}  // namespace pelt::deform
