#pragma once

#include <pelt/core/image.h>
#include <pelt/verbs/verb.h>

namespace pelt::draw {

/// The mesh from the front and the back, its values in color. Throws Error (bad usage) if the size leaves no room.
Image drawHeatmap(const verbs::Heatmap& heatmap, const Progress& progress);

}  // namespace pelt::draw
