#pragma once

#include <assimp/scene.h>

#include <cstddef>
#include <span>
#include <string>

namespace pelt::importer {

/// Loads assimp. It is loaded when a file needs it and not linked: decompression starts faster without it, and packages
/// of Pelt that come without it can still decompress. Throws Error (system) if it is not installed.
void loadImportLibrary();

/// Reads a file with assimp. The scene is never freed: for some damaged files the library frees memory twice, and the
/// process exits soon anyway. Throws Error (bad input) for a file that it cannot read.
const aiScene& readScene(std::span<const std::byte> bytes, const char* format);

std::string materialName(const aiScene& scene, const aiMesh& mesh);

}  // namespace pelt::importer
