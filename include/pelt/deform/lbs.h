#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/skin_weights.h>
#include <pelt/deform/packed_rig.h>
#include <pelt/runtime/lbs.h>

namespace pelt::deform {

using LbsRig = PackedRig<runtime::LbsRig>;
using LbsPose = PackedPose<runtime::LbsRig, runtime::LbsPose>;
using runtime::evaluate;

enum class LbsForm {
    full,     ///< fastest if neighboring vertices follow the same joints
    compact,  ///< fewer bytes if they follow many different ones, such as virtual joints: the same positions to the
              ///< bit, and rest normals of 16 bits
};

enum class WeightSigns {
    convex,  ///< weights are not negative
    any,     ///< only their sum is positive, as for the affine skins of [MohrGleicher03]
};

/// Copies the rest shape and packs the weights; neither is needed afterwards. Throws Error (bad input) if sizes differ,
/// if a vertex has no weight, or if a weight is negative (unless `signs` allows it) or not finite.
LbsRig prepareLbs(const Mesh& rest, const SkinWeights& weights, LbsForm form = LbsForm::full,
                  WeightSigns signs = WeightSigns::convex);

}  // namespace pelt::deform
