#pragma once

#include <pelt/rig/character.h>

#include "gltf/document.h"

namespace pelt::io::gltf {

/// Throws Error (bad usage) where sizes and indices of the character contradict each other.
void checkCharacter(const Character& character);

/// A document of its own for a character that comes from no glTF file.
Document makeDocument(const Character& character);

}  // namespace pelt::io::gltf
