#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/skin_weights.h>
#include <pelt/deform/packed_rig.h>
#include <pelt/runtime/dqs.h>

namespace pelt::deform {

using DqsRig = PackedRig<runtime::DqsRig>;
using DqsPose = PackedPose<runtime::DqsRig, runtime::DqsPose>;
using runtime::evaluate;

/// `joint_positions`: rest positions of the joints, the centers of their stretches. Copies the rest shape and packs the
/// weights; neither is needed afterwards. Throws Error (bad input) if sizes differ, if a vertex has no weight, if a
/// weight is negative or not finite, or if a joint has no position.
DqsRig prepareDqs(const Mesh& rest, const SkinWeights& weights, std::span<const Vec3d> joint_positions);

}  // namespace pelt::deform
