#pragma once

#include <pelt/measure/skin_check.h>

#include "verbs/run/run.h"

namespace pelt::verbs {

/// What this body would do: Direct Delta Mush of a good bind, and the same as plain weights.
struct GoodSkin {
    SkinWeights weights;
    measure::PoseShape shape;
};
GoodSkin goodSkin(const Character& character, const Progress& progress);

}  // namespace pelt::verbs
