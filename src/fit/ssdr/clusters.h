#pragma once

#include <pelt/core/progress.h>

#include "motions.h"
#include "trajectories.h"

namespace pelt::fit::ssdr {

/// Vertices that a new bone starts from: a seed and its neighbours at rest.
constexpr std::size_t kSeedVertices = 20;

/// Motions to start from, [LeDeng12] §3.1: vertices are put into clusters that move rigidly, one bone each. One cluster
/// is split after the other, always the one that its bone explains worst, at the vertex that is worst there; then all
/// are settled together (k-means with rigid motions). Seed 0 leaves nothing to chance, others take one of the worst
/// vertices instead. The first `kept` bones of `motions` are given and stay. Bones that nothing is left for stay at
/// rest.
void initialiseMotions(const Trajectories& data, std::size_t kept, std::uint64_t seed, Motions& motions,
                       const Progress& progress);

}  // namespace pelt::fit::ssdr
