#pragma once

#include <pelt/fit/decompose.h>

namespace pelt::fit {

/// Throws Error (bad input) unless motions, weights and rest pose have the sizes implied by `bones` and `frames`.
void checkDecomposition(const Decomposition& decomposition);

}  // namespace pelt::fit
