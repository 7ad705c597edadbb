#pragma once

#include <pelt/core/skin_weights.h>

namespace pelt::pipeline {

/// The weights without those below 1e-4, which are invisible but cost time in every engine; the others are
/// renormalized.
SkinWeights withoutSmall(const SkinWeights& weights);

}  // namespace pelt::pipeline
