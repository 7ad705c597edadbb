#pragma once

#include "gltf/document.h"

namespace pelt::io::gltf {

/// glTF 2.0, 4.4.2: "glTF", "JSON" and "BIN" as little-endian words.
inline constexpr std::uint32_t kMagic = 0x46546C67, kJsonChunk = 0x4E4F534A, kBinChunk = 0x004E4942;

/// Reads a .glb or the text of a .gltf, with the buffers it refers to. Checks the container, the shape of the top-level
/// arrays, the asset's version, the required extensions and that every buffer view lies inside its buffer. Throws Error
/// (bad input).
Document readDocument(std::span<const std::byte> bytes, const std::string& name, const std::filesystem::path& folder);

/// The JSON of a .glb or .gltf, an object. Text that is no UTF-8 becomes question marks. Throws Error (bad input), also
/// where it is nested so deeply that copying it would be dangerous.
Json parseJson(std::string_view text, const std::string& name);

/// Puts the bytes of all buffers into one that stands first, as a .glb wants it, and renumbers the buffer views.
/// Stand-in buffers without bytes stay behind it while a view uses them. Gives the bytes of the one buffer.
std::vector<std::byte> packBuffers(Document& document);

/// Images that stand in files of their own become buffer views, so that the document can go anywhere. Ones that cannot
/// be read or have an unknown kind stay as they are.
void embedImages(Document& document);

/// The document as a .glb. Throws Error (bad input) where it is over the 4 GiB that the container can hold.
std::vector<std::byte> toGlb(Document document);

/// Writes .glb, or .gltf with its .bin beside it.
void writeDocument(Document document, const std::filesystem::path& path, bool is_glb);

}  // namespace pelt::io::gltf
