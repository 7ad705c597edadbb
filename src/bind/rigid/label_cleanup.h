#pragma once

#include "bind_surface.h"

namespace pelt::bind {

/// Cleans up the joints of welded vertices: islands of a joint that are small relative to its main region on the same
/// part are reassigned to the joint that surrounds them most.
void cleanLabels(const BindSurface& surface, std::vector<std::uint32_t>& joints);

}  // namespace pelt::bind
