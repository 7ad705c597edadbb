#pragma once

#include <pelt/core/progress.h>
#include <pelt/rig/character.h>

namespace pelt::scenes {

/// An upright bar, 1 m tall and 0.2 m thick with rounded edges, with joints spaced evenly from its bottom.
Character makeBar(std::size_t resolution, const Progress& progress = {});
Character makeBar3(std::size_t resolution, const Progress& progress = {});

/// The bar with two joints, cut slightly above the upper joint: both sides of the cut are on the same bone, but only
/// the smoothing of the lower part reaches the joint.
Character makeBarParts(std::size_t resolution, const Progress& progress = {});

}  // namespace pelt::scenes
