#pragma once

#include <pelt/fit/decompose.h>

namespace pelt::bench {

/// Skinning mesh animations [JamesTwigg05] with rigid bones, as a baseline: the rotations of each triangle over all
/// frames are clustered by mean shift, each cluster is a bone, and a vertex has non-negative weights on the
/// `influences` bones that fit it best. The `bones` largest clusters are kept; there may be fewer.
fit::Decomposition skinMeshAnimation(MeshSequence& frames, const Mesh& rest, std::size_t bones, std::size_t influences);

}  // namespace pelt::bench
