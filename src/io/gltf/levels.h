#pragma once

#include "gltf/document.h"

namespace pelt::io::gltf {

inline constexpr const char* kLevels = "MSFT_lod";

/// Adds levels of detail to a document: per node with a mesh, the meshes of the same node in `levels`, finest first, as
/// MSFT_lod. All documents come from the same character, so that nodes and skins have the same numbers. `coverage`: one
/// per level, the share of the screen below which it replaces the one before it.
void addLevels(Document& document, std::span<const Document> levels, std::span<const double> coverage);

/// Per node, whether it is a level of detail of another one.
std::vector<bool> levelNodes(const Document& document);

}  // namespace pelt::io::gltf
