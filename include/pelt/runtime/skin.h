#pragma once

#include <pelt/runtime/ddm.h>
#include <pelt/runtime/dqs.h>
#include <pelt/runtime/lbs.h>

#include <variant>

namespace pelt::runtime {

/// The skin of a file, whichever method it was packed for. An engine that knows the method uses its rig instead, and
/// then links the code of that method only.
class SkinRig {
public:
    using Any = std::variant<LbsRig, DqsRig, DdmRig>;

    /// Views the first skin of a file of rigs (or the rig of a skin alone) without copying, as `view` of its kind does.
    static Checked<SkinRig> view(std::span<const std::byte> file) noexcept;

    const Any& any() const noexcept { return rig_; }
    RigKind kind() const noexcept;
    std::span<const std::byte> bytes() const noexcept;
    std::size_t vertexCount() const noexcept;
    std::size_t jointCount() const noexcept;  ///< one more than the highest joint index in use
    bool hasNormals() const noexcept;

private:
    explicit SkinRig(const Any& rig) noexcept : rig_(rig) {}

    Any rig_;
};

/// The joints of one pose as the skin needs them, in the caller's memory. Use one for each frame in flight; ranges
/// share it.
class SkinPose {
public:
    using Any = std::variant<LbsPose, DqsPose, DdmPose>;

    /// The size of the memory that a pose of this skin needs.
    static std::size_t bytes(const SkinRig& rig) noexcept;

    /// Starts in the rest pose. `memory` must be aligned to kRigAlignment, have bytes(rig) bytes and outlive the pose.
    SkinPose(const SkinRig& rig, std::span<std::byte> memory) noexcept;

    /// One bone per joint of the rig (more are ignored), from rest space to posed space.
    void set(std::span<const Affine3f> bones) noexcept;

    const Any& any() const noexcept { return pose_; }

private:
    Any pose_;
};

/// The number of bytes that are read and written to pose every vertex once, not counting the joints' transforms.
std::size_t streamedBytes(const SkinRig& rig, bool normals) noexcept;

/// Poses the vertices [first, first + count), as `evaluate` of the skin's kind does. `pose` was made for this rig.
/// Ranges that start and end at multiples of kDdmWindow are best for every kind.
void evaluate(const SkinRig& rig, const SkinPose& pose, const RestShape& rest, std::size_t first, std::size_t count,
              const Output& out) noexcept;

}  // namespace pelt::runtime
