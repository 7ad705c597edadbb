#pragma once

#include <pelt/core/progress.h>
#include <pelt/geometry/segments.h>

#include "bind_surface.h"

namespace pelt::fit {

/// Per welded vertex, the joint of the bone that it is nearest to as seen from inside the mesh. `bones` is not empty.
std::vector<std::uint32_t> chooseBones(const BindSurface& surface, std::span<const geometry::BoneSegment> bones,
                                       const Progress& progress);

}  // namespace pelt::fit
