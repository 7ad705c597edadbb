#pragma once

#include <pelt/core/skin_weights.h>

namespace pelt::pipeline {

/// The weights without those under 1e-4, which nobody sees and every engine would have to blend; the others are divided
/// by what is left.
SkinWeights withoutSmall(const SkinWeights& weights);

}  // namespace pelt::pipeline
