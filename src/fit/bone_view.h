#pragma once

#include <pelt/geometry/segments.h>

#include <array>

#include "bind_surface.h"

namespace pelt::fit {

/// What the mesh is like along a bone: at places in the middle of equal stretches of it (not at joints, which may touch
/// the skin).
constexpr double kBeside =
    0.015;  // of the diagonal: a bone that runs so close along a sheet (wing, fin, cape) is its bone

struct BoneView {
    static constexpr int kPlaces = 9;

    geometry::BoneSegment segment;
    std::array<int, kPlaces> windings{};
    /// Whose own faces wrap round the place, ascending; where the place is outside the mesh, the sheet that it is
    /// beside.
    std::array<std::vector<std::uint32_t>, kPlaces> parts;

    double radius = 0;  ///< how far the outside is across the bone, the median of many ways; 0 where it is all outside

    bool within(int place, std::uint32_t part) const;
    /// How much of the bone the part wraps round.
    double shareIn(std::uint32_t part) const;
};

std::vector<BoneView> viewBones(const BindSurface& surface, std::span<const geometry::BoneSegment> bones);

}  // namespace pelt::fit
