#pragma once

#include "io/gltf/document/document.h"

namespace pelt::io::gltf {

/// Writes a .gltf and, if there are bytes, its .bin: with the same stem, and a number if that name is in use by other
/// bytes. The .bin gets its name before the .gltf that refers to it, and the .bin of a replaced .gltf is removed
/// afterwards, so that a reader always finds either the old pair or the new one.
void writePair(Document& document, const std::filesystem::path& path, std::span<const std::byte> binary);

}  // namespace pelt::io::gltf
