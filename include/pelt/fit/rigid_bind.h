#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>
#include <pelt/rig/skeleton.h>

namespace pelt::fit {

/// Which joints get vertices where no weights say it; indices into Skeleton::joints, any slot of a node stands for it.
struct BindOptions {
    std::vector<std::uint32_t> joints;    ///< only these, also where they look like controls; empty: as the shape says
    std::vector<std::uint32_t> excluded;  ///< none of these
};

/// Each vertex on its heaviest joint (lowest index on ties) of those that `options` allow. A vertex without weights, or
/// without one of those, is bound as bindNearestBone does.
SkinWeights bindRigid(const Mesh& mesh, const Skeleton& skeleton, const SkinWeights& weights,
                      const BindOptions& options = {}, const Progress& progress = {});

/// Each vertex on the joint with the nearest bone segment that it sees inside the mesh; docs/bind.md says how bones
/// that it does not see, lie in another part or lie behind the skin lose. Small pieces of the mesh that hold no bone go
/// to one joint as a whole, that of what they sit on. Joints that only steer or mark a place get no vertex, which is
/// never told by a name alone. Where no joint lies inside the mesh, it is the nearest segment, a leaf's as long as its
/// parent's. Vertices of equal position bind alike; where skeleton and mesh are mirror images of themselves, so is the
/// bind. The result has the same bytes on any number of threads. Throws Error: bad input for a skeleton without joints,
/// options that leave none or name one that is not there, or a triangle beyond the vertices; cancelled if `progress`
/// asks for a stop.
SkinWeights bindNearestBone(const Mesh& mesh, const Skeleton& skeleton, const BindOptions& options = {},
                            const Progress& progress = {});

}  // namespace pelt::fit
