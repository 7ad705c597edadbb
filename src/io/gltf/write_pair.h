#pragma once

#include "gltf/document.h"

namespace pelt::io::gltf {

/// Writes a .gltf and, where there are bytes, the .bin that it names: its own stem, with a number behind it where
/// that is taken by other bytes. The .bin gets its name before the .gltf that refers to it, and the .bin of the .gltf
/// that stood there is removed afterwards, so that a reader finds the old pair or the new one at every moment.
void writePair(Document& document, const std::filesystem::path& path, std::span<const std::byte> binary);

}  // namespace pelt::io::gltf
