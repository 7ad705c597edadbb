#pragma once

#include <pelt/runtime/rig.h>
#include <pelt/runtime/shape.h>

namespace pelt::runtime {

/// Linear blend skinning: a rest shape and its weights.
class LbsRig : public Rig {
public:
    static constexpr RigKind kKind = RigKind::lbs;

    /// Views these bytes as a rig, without copying. Every index is checked, so that evaluation never reads outside the
    /// bytes, whatever they contain.
    static Checked<LbsRig> view(std::span<const std::byte> bytes) noexcept;

    std::size_t vertexCount() const noexcept;
    std::size_t jointCount() const noexcept;  ///< one more than the highest joint index in use
    bool hasNormals() const noexcept;

private:
    using Rig::Rig;
};

/// The joints of one pose, and the differences between joints that vertices blend, in the caller's memory. Use one for
/// each frame in flight; ranges share it.
class LbsPose {
public:
    /// The size of the memory that a pose of this rig needs.
    static std::size_t bytes(const LbsRig& rig) noexcept;

    /// Starts in the rest pose. `memory` must be aligned to kRigAlignment, have bytes(rig) bytes and outlive the pose.
    LbsPose(const LbsRig& rig, std::span<std::byte> memory) noexcept;

    /// `bones` map rest space to posed space, one per joint of the rig (more are ignored).
    void set(std::span<const Affine3f> bones) noexcept;

    struct Data;
    const Data& data() const noexcept { return *data_; }

private:
    Data* data_;
};

/// The number of bytes that are read and written to pose every vertex once, not counting the pose.
std::size_t streamedBytes(const LbsRig& rig, bool normals) noexcept;

/// The number of scalar multiply-adds to pose the position of every vertex once. Includes lanes that a block computes
/// for a joint that only its other vertices use.
std::size_t multiplyAdds(const LbsRig& rig) noexcept;

/// Poses the vertices [first, first + count): x' = (Σ_j w_j M_j) x. `pose` was made for this rig. Normals are
/// transformed by the inverse transpose of the blended matrix, stay on their side of the surface if joints mirror, and
/// have unit length; if the blend leaves no direction, the rest normal is kept. `out.normals` is not written if the
/// rest shape has none.
///
/// Disjoint ranges may run on any threads; the results have the same bits however the mesh is divided. Outside the
/// range, nothing is read from `rest` or written to `out`; both may be the same memory. Sizes are checked by assert.
void evaluate(const LbsRig& rig, const LbsPose& pose, const RestShape& rest, std::size_t first, std::size_t count,
              const Output& out) noexcept;

}  // namespace pelt::runtime
