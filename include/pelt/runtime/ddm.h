#pragma once

#include <pelt/runtime/rig.h>
#include <pelt/runtime/shape.h>

namespace pelt::runtime {

/// How rows are evaluated: the variants of [LeLewis19] §3.5 (v5 is LBS or DQS with the smoothed weights), the printed
/// v1 for literal comparison, and Enhanced DDM [Kalentchouk20]. `ddm` is v0, and Enhanced DDM in poses whose joints
/// scale or shear.
enum class DdmForm : std::uint32_t { ddm, v0, v1, v1_printed, v2, v3, v4, eddm };

/// Number of vertices that are packed together. A range may start and end anywhere; there is no overhead if both ends
/// are multiples of this number.
inline constexpr std::size_t kDdmWindow = 2048;

/// Direct Delta Mush [LeLewis19]: a rest shape and rows packed for evaluation in one form.
class DdmRig : public Rig {
public:
    static constexpr RigKind kKind = RigKind::ddm;

    /// Views these bytes as a rig, without copying. Every index is checked, so that evaluation never reads outside the
    /// bytes, whatever they contain.
    static Checked<DdmRig> view(std::span<const std::byte> bytes) noexcept;

    DdmForm form() const noexcept;
    std::size_t vertexCount() const noexcept;
    std::size_t jointCount() const noexcept;  ///< one more than the highest joint index in use
    bool hasNormals() const noexcept;

private:
    using Rig::Rig;
};

/// The joints of one pose in the representation that the form needs (matrices, their rotations, quaternions), in the
/// caller's memory. Use one for each frame in flight; ranges share it.
class DdmPose {
public:
    /// The size of the memory that a pose of this rig needs.
    static std::size_t bytes(const DdmRig& rig) noexcept;

    /// Starts in the rest pose. `memory` must be aligned to kRigAlignment, have bytes(rig) bytes and outlive the pose.
    DdmPose(const DdmRig& rig, std::span<std::byte> memory) noexcept;

    /// One bone per joint of the rig (more are ignored), from rest space to posed space; bones may scale, shear and
    /// mirror.
    void set(std::span<const Affine3f> bones) noexcept;

    struct Data;
    const Data& data() const noexcept { return *data_; }

private:
    Data* data_;
};

/// The number of bytes that are read and written to pose every vertex once, not counting the joints' transforms.
std::size_t streamedBytes(const DdmRig& rig, bool normals) noexcept;

/// Poses the vertices [first, first + count): x = R_i u + t_i. `pose` was made for this rig. Normals are rotated by R_i
/// (in v1 and v3 by the matrix used instead) and have unit length; `out.normals` is not written if the rest shape has
/// none. A vertex with a single joint moves exactly with it.
///
/// Disjoint ranges may run on any threads; the results have the same bits however the mesh is divided. Outside the
/// range, nothing is read from `rest` or written to `out`; both may be the same memory. Sizes are checked by assert.
void evaluate(const DdmRig& rig, const DdmPose& pose, const RestShape& rest, std::size_t first, std::size_t count,
              const Output& out) noexcept;

}  // namespace pelt::runtime
