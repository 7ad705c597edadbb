#pragma once

#include <pelt/fit/decompose.h>

namespace pelt::bench {

/// Skinning mesh animations [JamesTwigg05] with rigid bones, as a baseline: the motions of each triangle in all frames
/// are clustered by mean shift, each cluster is a bone that does not change any more, and vertices have non-negative
/// weights on `influences` of them. The `bones` largest clusters are kept; there may be fewer. Of several bandwidths
/// the result with the smallest error is given.
fit::Decomposition skinMeshAnimation(MeshSequence& frames, const Mesh& rest, std::size_t bones, std::size_t influences);

}  // namespace pelt::bench
