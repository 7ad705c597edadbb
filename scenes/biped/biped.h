#pragma once

#include <pelt/core/progress.h>
#include <pelt/rig/character.h>

namespace pelt::scenes {

/// A standing figure of 1.75 m in meters, facing +z, y up, soles near y = 0, arms in an A-pose: one closed skin of
/// about `resolution` vertices (clamped between 6,000 and 1,000,000), mirror-symmetric in x, on a skeleton of 52 joints
/// with fingers, bound rigidly, with the clips "walk" (a loop) and "range_of_motion".
Character makeBiped(std::size_t resolution, const Progress& progress = {});

}  // namespace pelt::scenes
