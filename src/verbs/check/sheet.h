#pragma once

#include "judge.h"

namespace pelt::verbs {

/// Draws the worst findings at their moments: before and, with the weights of a repaired skin, after.
void drawFindings(Run& run, const Character& character, const Judge& judge, std::span<const measure::Finding> findings,
                  const SkinWeights* after, const std::optional<PictureSize>& size);

/// The output `sheet`.
Output sheetOutput();

}  // namespace pelt::verbs
