#pragma once

#include "bake_job.h"

namespace pelt::verbs {

/// Throws Error (bad usage, bad input) for virtual joints that cannot be baked.
void checkVirtual(const Character& character, const BakeRequest& request);

/// Adds candidates with virtual joints: one with all that are allowed or, if an error is to be reached, several:
/// numbers are doubled until one is sufficient, then bisected.
void addVirtual(const BakeJob& job, BakeResult& result, const Progress& progress);

}  // namespace pelt::verbs
