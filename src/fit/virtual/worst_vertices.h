#pragma once

#include "virtual_problem.h"

namespace pelt::fit::virtual_bones {

/// Weights with smaller largest errors over the poses `played`, for the vertices where these are largest. Least squares
/// leaves them: where skin folds, a vertex may move unlike its neighbors, in few poses. `residuals` are those of the
/// weights in the problem's own poses.
void easeWorstVertices(const Problem& problem, const Poses& played, const std::vector<VirtualBone>& bones,
                       std::size_t influences, const std::vector<float>& residuals, ssdr::VertexWeights& weights);

}  // namespace pelt::fit::virtual_bones
