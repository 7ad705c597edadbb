#pragma once

#include "document.h"

namespace pelt::io::gltf {

/// glTF 2.0, 4.4.2: "glTF", "JSON" and "BIN" as little-endian words.
inline constexpr std::uint32_t kMagic = 0x46546C67, kJsonChunk = 0x4E4F534A, kBinChunk = 0x004E4942;

/// Reads a .glb or the text of a .gltf, with the buffers it refers to. Checks the container, the shape of the top-level
/// arrays, the asset's version, the required extensions and that every buffer view lies inside its buffer. Throws Error
/// (bad input).
Document readDocument(std::span<const std::byte> bytes, const std::string& name, const ExternalFiles& external);

/// The JSON of a .glb or .gltf, an object. Invalid UTF-8 becomes question marks. Throws Error (bad input), also for
/// JSON nested so deeply that copying it would overflow the stack.
Json parseJson(std::string_view text, const std::string& name);

/// Merges the bytes of all buffers into the first one, as a .glb requires, and renumbers the buffer views. Fallback
/// buffers without bytes are kept after it if a view uses them. Returns the bytes of the merged buffer.
std::vector<std::byte> packBuffers(Document& document);

/// Converts external images to buffer views, so that the document does not depend on other files. Images that cannot be
/// read or have an unknown format are not changed.
void embedImages(Document& document);

/// The document as a .glb. Throws Error (bad input) if it exceeds the container's limit of 4 GiB.
std::vector<std::byte> toGlb(Document document);

/// Writes .glb, or .gltf with its .bin beside it.
void writeDocument(Document document, const std::filesystem::path& path, bool is_glb);

}  // namespace pelt::io::gltf
