#pragma once

#include <pelt/core/aligned_bytes.h>
#include <pelt/core/mesh.h>
#include <pelt/rig/driven_joints.h>

namespace pelt::rig {

/// The skeleton and its driven joints in the format of the run time (runtime::SkeletonRig). Shear of a node's rest
/// matrix is left out.
AlignedBytes packSkeleton(const Skeleton& skeleton, std::span<const DrivenJoint> driven);

/// The morph targets over the mesh's rest shape in the format of the run time (runtime::MorphRig).
AlignedBytes packMorphs(const Mesh& mesh);

}  // namespace pelt::rig
