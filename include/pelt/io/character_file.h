#pragma once

#include <pelt/rig/character.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace pelt::io {

/// Reads a character: .glb .gltf, and .fbx .dae through the importer. Throws Error (bad input) with one line that
/// names the file, the fault, its place and a remedy.
Character loadCharacter(const std::filesystem::path& path);

/// The same from memory; `folder` is where external buffers are looked for (empty: they are refused). `name` is how
/// messages call it.
Character loadGltf(std::span<const std::byte> bytes, const std::string& name, const std::filesystem::path& folder = {});

/// Writes .glb or .gltf (with a .bin beside it). A character that was loaded goes out as its own document, with only
/// what differs from the loaded state edited: weights, clips, nodes and joints appended after the loaded ones. One made
/// in memory gets a new document. Mesh positions and faces of a loaded character must be the loaded ones.
void saveCharacter(const Character& character, const std::filesystem::path& path);

/// What saveCharacter would write as .glb, in memory.
std::vector<std::byte> toGlb(const Character& character);

}  // namespace pelt::io
