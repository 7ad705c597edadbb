#pragma once

#include <pelt/bind/rigid_bind.h>
#include <pelt/core/progress.h>
#include <pelt/geometry/segments.h>

namespace pelt::bind {

/// A mesh bound by the shape of its skeleton.
struct InsideBind {
    std::vector<std::uint32_t> joints;         ///< per vertex
    std::vector<bool> rigid;                   ///< per vertex: part of a piece that moves rigidly
    std::vector<geometry::BoneSegment> bones;  ///< those that may carry skin, by joint; never empty
};

/// Binds as described at bindNearestBone. Joints are slots of the skeleton; if a node has several slots, the first is
/// used.
InsideBind bindInside(const Mesh& mesh, const Skeleton& skeleton, const BindOptions& options, const Progress& progress);

/// The share of the vertices, of at most some thousands, between which and their bone there is only the inside of the
/// mesh. Pieces that move rigidly lie on the mesh and count as it does.
double shareInSight(const Mesh& mesh, const InsideBind& bind);

}  // namespace pelt::bind
