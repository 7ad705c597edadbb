#pragma once

#include <pelt/bind/rigid_bind.h>

namespace pelt::bind {

struct SmoothBind {
    SkinWeights weights;
    /// Per vertex, 0 to 1: how much of the weight that was expected lies on the heaviest joint, its parent and its
    /// children. Small where joints that are no neighbors were close to each other.
    std::vector<float> confidence;
    /// The mesh is a machine of rigid pieces, or no joint lies inside it: weights are those of bindNearestBone.
    bool rigid = false;
};

/// Smooth weights for a skeleton: a small network, trained on weights that artists painted, judges for each vertex the
/// joints near it by what lies between them; docs/bind.md describes it. Pieces that move as a whole have one row of
/// weights; weights are the same on both sides of a symmetric character. `influences`: maximal number of joints per
/// vertex, 0: all. The result has the same bytes on any number of threads. Throws as bindNearestBone does.
SmoothBind bindSmooth(const Mesh& mesh, const Skeleton& skeleton, std::size_t influences = 4,
                      const BindOptions& options = {}, const Progress& progress = {});

}  // namespace pelt::bind
