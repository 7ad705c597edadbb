#pragma once

#include <pelt/rig/skeleton.h>

#include "document.h"

namespace pelt::io::gltf {

inline constexpr std::size_t kNoNode = static_cast<std::size_t>(-1);

struct NodeTree {
    std::vector<std::size_t> parent;  ///< kNoNode for roots
    std::vector<std::size_t> order;   ///< parents before children, children in document order
};

/// Removes nodes from the children of all their parents but the last, as viewers do; returns their number.
std::size_t mendParents(Document& document);

/// The hierarchy of all nodes, in any scene. Fails for a node with two parents and for a cycle.
NodeTree readNodeTree(const Document& document);

/// Per node, whether the default scene (otherwise the first) shows it; true for all if the file has no scene.
std::vector<bool> shownNodes(const Document& document, const NodeTree& tree);

/// Name (otherwise "node_12") and rest transform of a node; `parent` is not set. A node with a matrix also gets the
/// nearest translation, rotation and scale, for clips that move it.
SkeletonNode readNode(const Document& document, std::size_t node);

/// The rest transform of a node to root space.
Affine3d restWorld(const Document& document, const NodeTree& tree, std::size_t node);

}  // namespace pelt::io::gltf
