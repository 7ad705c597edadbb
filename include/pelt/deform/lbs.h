#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/skin_weights.h>
#include <pelt/deform/deform.h>

#include <memory>

namespace pelt::deform {

/// Linear blend skinning: what a pose needs, packed once. Immutable and cheap to copy.
struct LbsRig {
    struct Packed;
    std::shared_ptr<const Packed> packed;
};

/// Throws Error (bad input) where sizes differ or a vertex has no weight.
LbsRig prepareLbs(const Mesh& rest, const SkinWeights& weights);

/// Poses the vertices [first, first + count). `bones` map rest space to posed space, one per joint the weights name.
/// Normals go through the inverse transpose of the blended matrix and come out unit.
void evaluate(const LbsRig& rig, std::span<const Affine3f> bones, const RestShape& rest, std::size_t first,
              std::size_t count, const Output& out) noexcept;

}  // namespace pelt::deform
