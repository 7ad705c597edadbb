#pragma once

#include "mesh_builder.h"

namespace pelt::importer {

/// Bone indices and weights of each vertex of a piece; bones are counted over the instance.
struct PieceWeights {
    std::vector<std::uint32_t> offsets, bones;
    std::vector<float> weights;
};

PieceWeights gatherWeights(const SourceInstance& instance, const SourcePiece& piece);

/// Which vertices of a piece are merged.
struct PieceWeld {
    std::vector<std::uint32_t> kept;    ///< a vertex of `mesh` for each welded one, in their new order
    std::vector<std::uint32_t> welded;  ///< per vertex of `mesh`, its welded vertex; kUnused if no triangle uses it
};
inline constexpr std::uint32_t kUnused = 0xffffffffu;

PieceWeld weldPiece(const SourcePiece& piece, const PieceWeights& weights);

}  // namespace pelt::importer
