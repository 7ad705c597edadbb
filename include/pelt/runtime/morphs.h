#pragma once

#include <pelt/runtime/rig.h>
#include <pelt/runtime/shape.h>

#include <string_view>

namespace pelt::runtime {

/// Morph targets over a rest shape.
class MorphRig : public Rig {
public:
    static constexpr RigKind kKind = RigKind::morphs;

    /// Views these bytes as morph targets, without copying. Every index is checked.
    static Checked<MorphRig> view(std::span<const std::byte> bytes) noexcept;

    std::size_t vertexCount() const noexcept;
    std::size_t targetCount() const noexcept;
    bool hasNormals() const noexcept;
    std::string_view targetName(std::size_t target) const noexcept;
    float defaultWeight(std::size_t target) const noexcept;

private:
    using Rig::Rig;
};

/// Writes the vertices [first, first + count) of the rest shape with the weighted targets added; pass the result to
/// deformers as their RestShape. `weights` has one entry per target. Disjoint ranges may run on any threads.
/// `out.normals` may be empty, and is not written if the rest shape has none. A job may give `out` a block on its stack
/// and then pass it as {positions, normals, first}.
void morph(const MorphRig& rig, std::span<const float> weights, std::size_t first, std::size_t count,
           const Output& out) noexcept;

/// Adds weight · offset to those of the listed `vertices` (ascending) that `out` has; its element 0 is vertex `first`.
void addOffsets(std::span<const std::uint32_t> vertices, std::span<const Vec3f> offsets, float weight,
                std::size_t first, std::span<Vec3f> out) noexcept;

}  // namespace pelt::runtime
