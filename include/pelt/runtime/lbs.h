#pragma once

#include <pelt/runtime/rig.h>
#include <pelt/runtime/shape.h>

namespace pelt::runtime {

/// Linear blend skinning: a rest shape and its weights.
class LbsRig : public Rig {
public:
    /// The rig in these bytes, used in place. Every index is checked, so that evaluation stays inside the bytes
    /// whatever is in them.
    static Checked<LbsRig> view(std::span<const std::byte> bytes) noexcept;

    std::size_t vertexCount() const noexcept;
    std::size_t jointCount() const noexcept;  ///< one more than the highest joint named
    bool hasNormals() const noexcept;

private:
    using Rig::Rig;
};

/// One pose's joints, and the differences of those that vertices blend, in the caller's memory. One for each frame in
/// flight; ranges share it.
class LbsPose {
public:
    /// How much memory a pose of this rig takes.
    static std::size_t bytes(const LbsRig& rig) noexcept;

    /// The rest pose. `memory` is aligned to kRigAlignment, has bytes(rig), and is the pose's until it is gone.
    LbsPose(const LbsRig& rig, std::span<std::byte> memory) noexcept;

    /// `bones` map rest space to posed space, one per joint of the rig (more are ignored).
    void set(std::span<const Affine3f> bones) noexcept;

    struct Data;
    const Data& data() const noexcept { return *data_; }

private:
    Data* data_;
};

/// The bytes that posing every vertex once reads and writes, apart from the pose.
std::size_t streamedBytes(const LbsRig& rig, bool normals) noexcept;

/// The multiply-adds of single numbers that posing the position of every vertex once takes, those of vertices that only
/// share a block with a joint's included.
std::size_t multiplyAdds(const LbsRig& rig) noexcept;

/// Poses the vertices [first, first + count): x' = (Σ_j w_j M_j) x. `pose` was made for this rig. Normals go
/// through the inverse transpose of the blended matrix, keep their side of the surface where joints mirror, and come
/// out unit; where the blend leaves no direction, the rest normal stays. `out.normals` is left alone where the rest
/// shape has none.
///
/// Disjoint ranges may run on any threads; results are the same bits however the mesh is cut. Nothing outside the
/// range is read of `rest` or written to `out`, which may be the same memory. Sizes are checked by assert.
void evaluate(const LbsRig& rig, const LbsPose& pose, const RestShape& rest, std::size_t first, std::size_t count,
              const Output& out) noexcept;

}  // namespace pelt::runtime
