#pragma once

#include <pelt/runtime/rig.h>
#include <pelt/runtime/shape.h>

namespace pelt::runtime {

/// Dual quaternion skinning [Kavan08]: a rest shape, its weights and the joints' rest positions.
class DqsRig : public Rig {
public:
    /// The rig in these bytes, used in place. Every index is checked, so that evaluation stays inside the bytes
    /// whatever is in them.
    static Checked<DqsRig> view(std::span<const std::byte> bytes) noexcept;

    std::size_t vertexCount() const noexcept;
    std::size_t jointCount() const noexcept;  ///< one more than the highest joint named
    bool hasNormals() const noexcept;

private:
    using Rig::Rig;
};

/// One pose's joints as stretches and unit dual quaternions, in the caller's memory. One for each frame in flight;
/// ranges share it.
class DqsPose {
public:
    /// How much memory a pose of this rig takes.
    static std::size_t bytes(const DqsRig& rig) noexcept;

    /// The rest pose. `memory` is aligned to kRigAlignment, has bytes(rig), and is the pose's until it is gone.
    DqsPose(const DqsRig& rig, std::span<std::byte> memory) noexcept;

    /// Splits each bone into a right stretch about the joint's rest position and a rigid part. A bone that mirrors
    /// keeps its mirroring in the stretch. One bone per joint of the rig (more are ignored).
    void set(std::span<const Affine3f> bones) noexcept;

    struct Data;
    const Data& data() const noexcept { return *data_; }

private:
    Data* data_;
};

/// The bytes that posing every vertex once reads and writes, apart from the joints' transforms.
std::size_t streamedBytes(const DqsRig& rig, bool normals) noexcept;

/// Poses the vertices [first, first + count). `pose` was made for this rig. Stretches are blended linearly first, then
/// the rigid parts as dual quaternions on the hemisphere of the heaviest joint. Normals follow the blended rotation
/// (and reflection, where joints mirror); `out.normals` is left alone where the rest shape has none.
///
/// Disjoint ranges may run on any threads; results are the same bits however the mesh is cut. Nothing outside the
/// range is read of `rest` or written to `out`, which may be the same memory. Sizes are checked by assert.
void evaluate(const DqsRig& rig, const DqsPose& pose, const RestShape& rest, std::size_t first, std::size_t count,
              const Output& out) noexcept;

}  // namespace pelt::runtime
