#pragma once

#include "io/gltf/document/document.h"

namespace pelt::io::gltf {

/// Whether the document is an avatar: VRM 0 or 1.
bool isVrm(const Document& document);

/// Throws Error (bad usage) if the document cannot be a .vrm, with the first rule of VRM 0 or 1 that it breaks: an
/// avatar needs its humanoid bones, and whatever its bones, expressions, first person view and springs refer to.
void checkVrm(const Document& document, const std::string& name);

}  // namespace pelt::io::gltf
