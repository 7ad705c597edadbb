#pragma once

#include <pelt/rig/character.h>

#include "io/gltf/document/document.h"

namespace pelt::io::gltf {

/// Throws Error (bad usage) if sizes or indices of the character are inconsistent.
void checkCharacter(const Character& character);

/// A new document for a character that was not loaded from glTF.
Document makeDocument(const Character& character);

}  // namespace pelt::io::gltf
