#pragma once

#include "io/gltf/document/document.h"

namespace pelt::io::gltf {

inline constexpr const char* kLevels = "MSFT_lod";

/// Gives a document levels of detail in the place of those that it has: per node with a mesh, the meshes of the same
/// node in `levels`, finest first, as MSFT_lod. All documents come from the same character, so that nodes and skins
/// have the same numbers. `coverage`: one per level, the share of the screen below which it replaces the one before it.
void addLevels(Document& document, std::span<const Document> levels, std::span<const double> coverage);

/// Removes the levels of detail that nodes have: links, meshes, and nodes at the end of the list that nothing else
/// needs. All other entries keep their numbers, except accessors and views that nothing refers to any longer
/// (dropUnused).
void dropLevels(Document& document);

/// Per node, whether it is a level of detail of another one.
std::vector<bool> levelNodes(const Document& document);

}  // namespace pelt::io::gltf
