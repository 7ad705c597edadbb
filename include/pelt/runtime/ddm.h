#pragma once

#include <pelt/runtime/rig.h>
#include <pelt/runtime/shape.h>

namespace pelt::runtime {

/// How rows are evaluated: the variants of [LeLewis19] §3.5 (v5 is LBS or DQS with the smoothed weights), the printed
/// v1 for literal comparison, and Enhanced DDM [Kalentchouk20]. `ddm` is v0, and Enhanced DDM in poses whose joints
/// scale or shear.
enum class DdmForm : std::uint32_t { ddm, v0, v1, v1_printed, v2, v3, v4, eddm };

/// Vertices that are packed together. A range may start and end anywhere, and costs no more than its vertices where
/// both are multiples of this.
inline constexpr std::size_t kDdmWindow = 2048;

/// Direct Delta Mush [LeLewis19]: a rest shape and rows packed for evaluation in one form.
class DdmRig : public Rig {
public:
    /// The rig in these bytes, used in place. Every index is checked, so that evaluation stays inside the bytes
    /// whatever is in them.
    static Checked<DdmRig> view(std::span<const std::byte> bytes) noexcept;

    DdmForm form() const noexcept;
    std::size_t vertexCount() const noexcept;
    std::size_t jointCount() const noexcept;  ///< one more than the highest joint named
    bool hasNormals() const noexcept;

private:
    using Rig::Rig;
};

/// One pose's joints as a form needs them (matrices, their rotations, quaternions), in the caller's memory. One for
/// each frame in flight; ranges share it.
class DdmPose {
public:
    /// How much memory a pose of this rig takes.
    static std::size_t bytes(const DdmRig& rig) noexcept;

    /// The rest pose. `memory` is aligned to kRigAlignment, has bytes(rig), and is the pose's until it is gone.
    DdmPose(const DdmRig& rig, std::span<std::byte> memory) noexcept;

    /// One bone per joint of the rig (more are ignored), from rest space to posed space; bones may scale, shear and
    /// mirror.
    void set(std::span<const Affine3f> bones) noexcept;

    struct Data;
    const Data& data() const noexcept { return *data_; }

private:
    Data* data_;
};

/// The bytes that posing every vertex once reads and writes, apart from the joints' transforms.
std::size_t streamedBytes(const DdmRig& rig, bool normals) noexcept;

/// Poses the vertices [first, first + count): x = R_i u + t_i. `pose` was made for this rig. Normals follow R_i (in v1
/// and v3 what stands for it) and come out unit; `out.normals` is left alone where the rest shape has none. A vertex
/// with one joint follows it, nothing blended.
///
/// Disjoint ranges may run on any threads; results are the same bits however the mesh is cut. Nothing outside the
/// range is read of `rest` or written to `out`, which may be the same memory. Sizes are checked by assert.
void evaluate(const DdmRig& rig, const DdmPose& pose, const RestShape& rest, std::size_t first, std::size_t count,
              const Output& out) noexcept;

}  // namespace pelt::runtime
