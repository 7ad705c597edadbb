#pragma once

#include <pelt/core/progress.h>
#include <pelt/rig/character.h>

namespace pelt::scenes {

/// A Y, 0.9 m tall: a trunk and two arms of two joints each, one closed skin of about `resolution` vertices (clamped
/// between 500 and 1,000,000), mirror-symmetric in x.
Character makeBranch(std::size_t resolution, const Progress& progress = {});

}  // namespace pelt::scenes
