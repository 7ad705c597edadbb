#pragma once

#include <pelt/geometry/segments.h>

#include <array>

#include "bind/rigid/bind_surface.h"

namespace pelt::bind {

/// The mesh along a bone: at points in the middle of equal sections (not at joints, which may touch the skin).
constexpr double kBeside = 0.015;  // of the diagonal: a bone this close to a sheet (wing, fin, cape) belongs to it

struct BoneView {
    static constexpr int kPlaces = 9;

    geometry::BoneSegment segment;
    std::array<int, kPlaces> windings{};
    /// The parts whose faces enclose the point, ascending; outside the mesh, the sheet beside it.
    std::array<std::vector<std::uint32_t>, kPlaces> parts;

    double radius = 0;  ///< distance to the outside across the bone, a median; 0 if all of it is outside

    bool within(int place, std::uint32_t part) const;
    /// The fraction of the bone that the part encloses.
    double shareIn(std::uint32_t part) const;
};

std::vector<BoneView> viewBones(const BindSurface& surface, std::span<const geometry::BoneSegment> bones);

}  // namespace pelt::bind
