#pragma once

#include <pelt/core/progress.h>

#include "bind/skeleton/bone_view.h"
#include "bind_mirror.h"
#include "pieces.h"

namespace pelt::bind {

/// The joints of welded vertices by the rules of docs/bind.md, and what they were found from.
struct SightLabels {
    std::vector<BoneView> views;  ///< one per bone
    std::vector<Piece> pieces;    ///< one per part of the surface
    BindMirror mirror;
    std::vector<std::uint32_t> joints;  ///< per welded vertex
};

/// `bones` is not empty.
SightLabels labelBySight(const BindSurface& surface, const Skeleton& skeleton,
                         std::span<const geometry::BoneSegment> bones, const Progress& progress);

}  // namespace pelt::bind
