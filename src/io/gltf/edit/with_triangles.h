#pragma once

#include "io/gltf/document/source.h"

namespace pelt::io::gltf {

/// The document with other triangles, over some of the vertices that it has. Every node gets a mesh of its own; all
/// attributes and morph targets of the vertices in use are kept as they are stored. The Direct Delta Mush payload and
/// links to other levels of detail are dropped. `mesh` and `props` are as loaded.
Document withTriangles(const GltfSource& source, const Mesh& mesh, std::span<const Triangle> triangles,
                       const Mesh& props, std::span<const Triangle> prop_triangles);

}  // namespace pelt::io::gltf
