#pragma once

#include <pelt/core/aligned_bytes.h>
#include <pelt/methods/methods.h>

namespace pelt::methods {

/// A character as bytes for an engine (pelt/runtime): the skeleton with its driven joints, the morph targets if there
/// are any, and the rig of one method, one after the other. Props are left out. The same character gives the same
/// bytes. Throws Error (bad usage) for a method that the run time does not have, and as preparation does.
AlignedBytes packCharacter(const Character& character, const Method& method, const MethodOptions& options = {},
                           const Progress& progress = {});

/// A deformer of the character from the bytes of another one of it (Deformer::rigBytes): what was prepared elsewhere is
/// used here. The bytes are copied and checked. Throws Error (bad input) if they are no rig of this many vertices.
std::unique_ptr<Deformer> deformerOf(const Character& character, std::span<const std::byte> rig);

}  // namespace pelt::methods
