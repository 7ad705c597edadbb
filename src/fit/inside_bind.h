#pragma once

#include <pelt/core/progress.h>
#include <pelt/fit/rigid_bind.h>
#include <pelt/geometry/segments.h>

namespace pelt::fit {

/// A mesh bound by the shape of its skeleton.
struct InsideBind {
    std::vector<std::uint32_t> joints;         ///< per vertex
    std::vector<bool> rigid;                   ///< per vertex: it belongs to a piece that moves as one
    std::vector<geometry::BoneSegment> bones;  ///< those that may carry skin, by joint; never empty
};

/// As bindNearestBone says. Joints are slots of the skeleton, of several for one node the first.
InsideBind bindInside(const Mesh& mesh, const Skeleton& skeleton, const BindOptions& options, const Progress& progress);

}  // namespace pelt::fit
