#pragma once

#include <pelt/core/progress.h>

#include "motions.h"
#include "trajectories.h"

namespace pelt::fit::ssdr {

/// Vertices from which a new bone is initialized: a seed and its neighbors at rest.
constexpr std::size_t kSeedVertices = 20;

/// Initial motions, [LeDeng12] §3.1: vertices are grouped into clusters that move rigidly, one bone each. Clusters are
/// split one after the other, always the one with the largest error, at its worst vertex; then all are refined together
/// (k-means with rigid motions). Seed 0 is deterministic, others choose one of the worst vertices at random. The first
/// `kept` bones of `motions` are given and not changed. Bones without any vertices left stay at rest.
void initializeMotions(const Trajectories& data, std::size_t kept, std::uint64_t seed, Motions& motions,
                       const Progress& progress);

}  // namespace pelt::fit::ssdr
