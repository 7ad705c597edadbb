#pragma once

#include <pelt/core/progress.h>

#include "bind/skeleton/bone_view.h"
#include "bind_surface.h"
#include "pieces.h"

namespace pelt::bind {

/// Per welded vertex, the joint of the bone with the least cost; if two costs are equal, their common ancestor, so that
/// the middle of a symmetric character is assigned to neither side. `bones` is not empty; `parents` has one entry per
/// joint, -1 for a root.
std::vector<std::uint32_t> chooseBones(const BindSurface& surface, std::span<const BoneView> bones,
                                       std::span<const Piece> pieces, std::span<const std::int32_t> parents,
                                       const Progress& progress);

}  // namespace pelt::bind
