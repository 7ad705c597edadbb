#pragma once

#include <pelt/geometry/segments.h>

#include <array>

#include "bind_surface.h"

namespace pelt::fit {

/// What the mesh is like along a bone: at places in the middle of equal stretches of it (not at joints, which may touch
/// the skin).
struct BoneView {
    static constexpr int kPlaces = 9;

    geometry::BoneSegment segment;
    std::array<int, kPlaces> windings{};
    std::array<std::vector<std::uint32_t>, kPlaces> parts;  ///< whose own faces wrap round the place, ascending

    bool within(int place, std::uint32_t part) const;
    /// How much of the bone the part wraps round.
    double shareIn(std::uint32_t part) const;
};

std::vector<BoneView> viewBones(const BindSurface& surface, std::span<const geometry::BoneSegment> bones);

}  // namespace pelt::fit
