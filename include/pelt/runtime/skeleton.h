#pragma once

#include <pelt/core/affine.h>
#include <pelt/runtime/rig.h>

#include <string_view>

namespace pelt::runtime {

/// Translation · rotation · scale of a node, relative to its parent.
struct LocalTransform {
    Vec3f translation;
    Quatf rotation;
    Vec3f scale{1, 1, 1};
};

enum class DriverKind : std::uint32_t {
    rotation,  ///< at the driver's position, with a fraction of its rotation relative to its parent
    scale,     ///< a scale across a bone, driven by the angle at the driver
    learned,   ///< translation and rotation are polynomials in the rotations of other joints
    ddm,       ///< a virtual joint: moves as a vertex of Direct Delta Mush does
};

inline constexpr std::size_t kLearnedTerms = 9;  ///< terms of the polynomial of a learned joint, per input

/// The nodes that move a skin, the joints that its weights refer to, and the driven joints: nodes whose transforms are
/// computed from those of others. An engine with its own skeleton matches nodes by name and needs only the driven
/// joints from here.
class SkeletonRig : public Rig {
public:
    static constexpr RigKind kKind = RigKind::skeleton;

    /// Views these bytes as a skeleton, without copying. Every index is checked.
    static Checked<SkeletonRig> view(std::span<const std::byte> bytes) noexcept;

    std::size_t nodeCount() const noexcept;
    std::size_t jointCount() const noexcept;
    std::size_t driverCount() const noexcept;

    std::string_view nodeName(std::size_t node) const noexcept;
    std::int32_t nodeParent(std::size_t node) const noexcept;  ///< -1 for a root; parents come before children
    LocalTransform nodeRest(std::size_t node) const noexcept;
    std::uint32_t jointNode(std::size_t joint) const noexcept;
    Affine3f jointInverseBind(std::size_t joint) const noexcept;  ///< rest space to the joint's space

private:
    using Rig::Rig;
};

/// Computes the transforms of driven nodes from those of the others; `locals` has one entry per node. Those of virtual
/// joints (DriverKind::ddm) are left as they are: see applyVirtualJoints.
void applyDrivers(const SkeletonRig& rig, std::span<LocalTransform> locals) noexcept;

/// Computes the maps from node space to root space of all virtual joints from those of the other nodes; `worlds` has
/// one entry per node. For engines that compute `worlds` themselves: skinMatrices does it.
void applyVirtualJoints(const SkeletonRig& rig, std::span<Affine3f> worlds) noexcept;

/// The input of deformers: per joint, the map from rest space to posed space. Also fills `worlds`, one entry per node,
/// with the maps from node space to root space. Virtual joints follow the others, whatever their entry in `locals`.
void skinMatrices(const SkeletonRig& rig, std::span<const LocalTransform> locals, std::span<Affine3f> worlds,
                  std::span<Affine3f> bones) noexcept;

}  // namespace pelt::runtime
