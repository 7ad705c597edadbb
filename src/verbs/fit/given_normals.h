// Normals of examples that a file gives.
#pragma once

#include <pelt/verbs/fit.h>

#include "verbs/run/run.h"

namespace pelt::verbs {

/// Refuses what cannot be normals, such as positions: Error (bad input) if more than a hundredth of the lengths of a
/// frame are far from 1. Warns if lengths are a little off; they are normalized where they are used.
void checkNormals(Run& run, MeshSequence& normals);

}  // namespace pelt::verbs
