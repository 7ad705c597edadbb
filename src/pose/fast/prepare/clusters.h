#pragma once

#include "pose/fast/weight_rows.h"

namespace pelt::pose {

/// The cluster of each row, numbered from 0 without gaps: at most `count` of them, k-means in weight space. A row
/// without entries (a set without edges) belongs to the first.
std::vector<std::uint32_t> clusterRows(const WeightRows& rows, std::size_t handles, std::size_t count);

}  // namespace pelt::pose
