#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>
#include <pelt/rig/skeleton.h>

namespace pelt::fit {

/// Each vertex on its heaviest joint (lowest index on ties). A vertex without weights is bound as bindNearestBone does.
SkinWeights bindRigid(const Mesh& mesh, const Skeleton& skeleton, const SkinWeights& weights,
                      const Progress& progress = {});

/// Each vertex on the joint with the nearest bone segment that it sees inside the mesh; docs/bind.md says how bones
/// that it does not see, lie in another part or lie behind the skin lose. A joint's segments run from it to each child
/// joint; a leaf's goes on in its parent's direction (along its own axis where the rig lays one along its bones) to the
/// skin. Joints that only steer or mark a place get no vertex, which is never told by a name alone. Where no joint lies
/// inside the mesh, it is the nearest segment, a leaf's as long as its parent's. Vertices of equal position bind alike.
/// The same bytes on any number of threads. Throws Error: bad input for a skeleton without joints or a triangle beyond
/// the vertices, cancelled where `progress` asks for it.
SkinWeights bindNearestBone(const Mesh& mesh, const Skeleton& skeleton, const Progress& progress = {});

}  // namespace pelt::fit
