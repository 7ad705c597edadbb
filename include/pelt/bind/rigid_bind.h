#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>
#include <pelt/rig/skeleton.h>

namespace pelt::bind {

/// Which joints vertices may be bound to if there are no weights. Indices into Skeleton::joints; any slot of a node may
/// be used.
struct BindOptions {
    std::vector<std::uint32_t> joints;    ///< only these, even if they look like controls; empty: chosen by shape
    std::vector<std::uint32_t> excluded;  ///< none of these
};

/// Binds each vertex to its heaviest joint (lowest index on ties) among those that `options` allow. A vertex without
/// weight on any of them is bound by bindNearestBone.
SkinWeights bindRigid(const Mesh& mesh, const Skeleton& skeleton, const SkinWeights& weights,
                      const BindOptions& options = {}, const Progress& progress = {});

/// Binds each vertex to the joint with the nearest bone segment that is visible from it inside the mesh; docs/bind.md
/// describes how other bones are penalized. Small pieces of the mesh without a bone are bound as a whole to the joint
/// of the surface they lie on. Joints that are only controls or markers get no vertices; a name alone never decides
/// that. If no joint lies inside the mesh, the nearest segment is used; that of a leaf is as long as its parent's.
/// Vertices of equal position are bound alike; if skeleton and mesh are symmetric, so is the bind. The result has the
/// same bytes on any number of threads. Throws Error: bad input for a skeleton without joints, options that leave no
/// joint or name a missing one, or a triangle with a missing vertex; cancelled if `progress` requests it.
SkinWeights bindNearestBone(const Mesh& mesh, const Skeleton& skeleton, const BindOptions& options = {},
                            const Progress& progress = {});

/// The same, and how sure it is.
struct NearestBind {
    SkinWeights weights;
    /// The share of the vertices from which the bone that they are bound to is in sight inside the mesh. Where it is
    /// small, the skeleton does not lie in this mesh.
    double sure = 0;
};
NearestBind bindBare(const Mesh& mesh, const Skeleton& skeleton, const BindOptions& options = {},
                     const Progress& progress = {});

}  // namespace pelt::bind
