#pragma once

#include <pelt/runtime/rig.h>
#include <pelt/runtime/shape.h>

namespace pelt::runtime {

/// Dual quaternion skinning [Kavan08]: a rest shape, its weights and the joints' rest positions.
class DqsRig : public Rig {
public:
    static constexpr RigKind kKind = RigKind::dqs;

    /// Views these bytes as a rig, without copying. Every index is checked, so that evaluation never reads outside the
    /// bytes, whatever they contain.
    static Checked<DqsRig> view(std::span<const std::byte> bytes) noexcept;

    std::size_t vertexCount() const noexcept;
    std::size_t jointCount() const noexcept;  ///< one more than the highest joint index in use
    bool hasNormals() const noexcept;

private:
    using Rig::Rig;
};

/// The joints of one pose as stretches and unit dual quaternions, in the caller's memory. Use one for each frame in
/// flight; ranges share it.
class DqsPose {
public:
    /// The size of the memory that a pose of this rig needs.
    static std::size_t bytes(const DqsRig& rig) noexcept;

    /// Starts in the rest pose. `memory` must be aligned to kRigAlignment, have bytes(rig) bytes and outlive the pose.
    DqsPose(const DqsRig& rig, std::span<std::byte> memory) noexcept;

    /// Splits each bone into a right stretch about the joint's rest position and a rigid part. A bone that mirrors
    /// keeps its mirroring in the stretch. One bone per joint of the rig (more are ignored).
    void set(std::span<const Affine3f> bones) noexcept;

    struct Data;
    const Data& data() const noexcept { return *data_; }

private:
    Data* data_;
};

/// The number of bytes that are read and written to pose every vertex once, not counting the joints' transforms.
std::size_t streamedBytes(const DqsRig& rig, bool normals) noexcept;

/// Poses the vertices [first, first + count). `pose` was made for this rig. Stretches are blended linearly first, then
/// the rigid parts as dual quaternions on the hemisphere of the heaviest joint. Normals follow the blended rotation
/// (and reflection, where joints mirror); `out.normals` is not written if the rest shape has none.
///
/// Disjoint ranges may run on any threads; the results have the same bits however the mesh is divided. Outside the
/// range, nothing is read from `rest` or written to `out`; both may be the same memory. Sizes are checked by assert.
void evaluate(const DqsRig& rig, const DqsPose& pose, const RestShape& rest, std::size_t first, std::size_t count,
              const Output& out) noexcept;

}  // namespace pelt::runtime
