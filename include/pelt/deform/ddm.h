#pragma once

#include <pelt/core/mesh.h>
#include <pelt/deform/packed_rig.h>
#include <pelt/rig/ddm_payload.h>
#include <pelt/runtime/ddm.h>

namespace pelt::deform {

using DdmRig = PackedRig<runtime::DdmRig>;
using DdmPose = PackedPose<runtime::DdmRig, runtime::DdmPose>;
using runtime::DdmForm;
using runtime::evaluate;

/// Packs the rows of the vertices of `rest`; neither is needed afterwards. Throws Error (bad input) if sizes differ or
/// a row is empty or not finite.
DdmRig packDdm(const Mesh& rest, const DdmRows<float>& rows, DdmForm form);

/// ω as skin weights: used by v5 and by viewers that do not support DDM.
SkinWeights plainWeights(const DdmRows<float>& rows);

/// ω of the rows with its signs, for prepareLbs() and WeightSigns::any.
SkinWeights signedWeights(const DdmRows<float>& rows);

}  // namespace pelt::deform
