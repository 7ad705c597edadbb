#pragma once

#include <pelt/core/affine.h>
#include <pelt/runtime/rig.h>

#include <string_view>

namespace pelt::runtime {

/// Translation · rotation · scale of a node, to its parent's space.
struct LocalTransform {
    Vec3f translation;
    Quatf rotation;
    Vec3f scale{1, 1, 1};
};

enum class DriverKind : std::uint32_t {
    rotation,  ///< a fraction of the driver's rotation relative to its parent, where the driver is
    scale,     ///< a scale across a bone that follows the angle at the driver
    learned,   ///< a translation and rotation that a polynomial in the rotations of joints gives
};

inline constexpr std::size_t kLearnedTerms = 9;  ///< of a learned joint's polynomial, for each of its inputs

/// The nodes that move a skin, the joints that its weights name, and the driven joints: nodes whose transforms follow
/// from those of others. Engines with a skeleton of their own match nodes by name, and need of this only the drivers.
class SkeletonRig : public Rig {
public:
    /// The skeleton in these bytes, used in place. Every index is checked.
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

/// Replaces the driven nodes' transforms by what the other nodes' ask for; `locals` has one entry a node.
void applyDrivers(const SkeletonRig& rig, std::span<LocalTransform> locals) noexcept;

/// What deformers take: per joint, the map from rest space to posed space. `worlds`, one entry a node, comes out as the
/// maps from the nodes' spaces to the root's.
void skinMatrices(const SkeletonRig& rig, std::span<const LocalTransform> locals, std::span<Affine3f> worlds,
                  std::span<Affine3f> bones) noexcept;

}  // namespace pelt::runtime
