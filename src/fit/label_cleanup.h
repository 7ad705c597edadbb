#pragma once

#include "bind_surface.h"

namespace pelt::fit {

/// Tidies one joint a welded vertex: islands of a joint that are small beside its main patch on the same part go to the
/// joint that surrounds them most.
void cleanLabels(const BindSurface& surface, std::vector<std::uint32_t>& joints);

}  // namespace pelt::fit
