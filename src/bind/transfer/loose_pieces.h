#pragma once

#include "correspondence.h"
#include "weight_rows.h"

namespace pelt::bind::transfer {

/// Per connected part of `to`, whether it moves as a whole: a small piece that does not lie in the skin itself (a
/// button, a buckle), or a piece inside the body (teeth).
std::vector<bool> rigidPieces(const BindSurface& from, const BindSurface& to, std::span<const Match> matches);

/// The rows of the welded surface, with one row for each rigid piece: that of the surface beneath it, `from` or the
/// rest of `to`, the nearer one at each vertex.
SkinWeights settleRigidPieces(const WeightedSurface& from, const WeightedSurface& to, std::span<const Match> matches,
                              const std::vector<bool>& rigid);

}  // namespace pelt::bind::transfer
