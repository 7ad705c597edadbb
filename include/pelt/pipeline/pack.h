#pragma once

#include <pelt/core/aligned_bytes.h>
#include <pelt/pipeline/methods.h>

namespace pelt::pipeline {

/// A character as an engine takes it (pelt/runtime): its skeleton with the driven joints, its morph targets where it
/// has any, and the rig of one method, one after the other. Props are left out. The same character gives the same
/// bytes. Throws Error (bad usage) for a method that the run time does not have, and what preparing throws.
AlignedBytes packCharacter(const Character& character, const Method& method, const MethodOptions& options = {},
                           const Progress& progress = {});

}  // namespace pelt::pipeline
