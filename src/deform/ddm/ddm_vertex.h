#pragma once

#include <pelt/core/mat.h>
#include <pelt/core/mesh.h>
#include <pelt/rig/ddm_payload.h>

#include <vector>

#include "runtime/layout/ddm_layout.h"

namespace pelt::deform {

using runtime::DdmForm;
using runtime::DdmKind;

/// One row, ready to be stored in its lane of a block.
struct DdmVertex {
    std::uint32_t index = 0;
    DdmKind kind = DdmKind::blended;
    std::uint32_t base = 0;             ///< the joint that sums start from
    std::vector<std::uint32_t> joints;  ///< the others, ascending
    std::vector<DdmBlock<double>> blocks;
    std::vector<double> psi;
    Vec3d center;      ///< from the origin
    Mat3d covariance;  ///< the blocks' upper left parts, summed over all joints
};

/// Row v relative to the center where Σ χ' = 0 exactly: by rounding and quantization, the stored center is slightly
/// off.
DdmVertex makeDdmVertex(const DdmRows<float>& rows, std::size_t v, DdmForm form, const Vec3f& origin);

/// Throws Error (bad input) if sizes differ or a row is empty or not finite.
void checkDdmRows(const Mesh& rest, const DdmRows<float>& rows);

}  // namespace pelt::deform
