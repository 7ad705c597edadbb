#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/skin_weights.h>
#include <pelt/rig/skeleton.h>

namespace pelt::fit {

/// Each vertex on its heaviest joint (lowest index on ties). A vertex without weights takes the nearest bone segment.
SkinWeights bindRigid(const Mesh& mesh, const Skeleton& skeleton, const SkinWeights& weights);

/// Each vertex on the joint with the nearest bone segment. A joint's segments run from it to each child joint; a
/// leaf's goes on in its parent's direction, as long as the parent's. Vertices of equal position bind alike.
/// Throws Error (bad input) for a skeleton without joints.
SkinWeights bindNearestBone(const Mesh& mesh, const Skeleton& skeleton);

}  // namespace pelt::fit
