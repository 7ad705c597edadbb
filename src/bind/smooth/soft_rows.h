#pragma once

#include "candidate_features.h"
#include "smooth_network.h"

namespace pelt::bind {

/// Weights of joints, heaviest first.
using SoftRow = std::vector<std::pair<std::uint32_t, float>>;

/// What the network expects, one row per welded vertex, each of sum 1.
std::vector<SoftRow> expectedRows(const BindScene& scene, const Progress& progress);

/// Sums, sorted by weight, then by joint; scaled to sum 1.
SoftRow mixed(const SoftRow& entries);

/// Makes the rows of both sides of a symmetric character alike.
void mirrorRows(const BindScene& scene, std::vector<SoftRow>& rows);

/// Takes away noise: each row becomes more like those around it.
void blendRows(const BindScene& scene, int times, std::vector<SoftRow>& rows);

/// Pieces that move as a whole get one row: small ones, eyeballs, and what lies on another piece.
void settleRows(const BindScene& scene, std::vector<SoftRow>& rows);

/// Small weights fade away: all weights shrink by the same amount, those that reach zero are gone.
void sharpenRows(std::vector<SoftRow>& rows);

}  // namespace pelt::bind
