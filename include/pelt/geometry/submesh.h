#pragma once

#include <pelt/core/mesh.h>

#include <span>

namespace pelt::geometry {

/// The vertices that a mesh keeps if it has only these triangles (over its vertices), ascending: those in use, and all
/// of the parts that never had a triangle (points, lines).
std::vector<std::uint32_t> keptVertices(const Mesh& mesh, std::span<const Triangle> triangles);

/// The mesh with those vertices and triangles alone; each triangle has its corners in one part. Parts, morph targets
/// and attributes follow.
Mesh submesh(const Mesh& mesh, std::span<const Triangle> triangles);

}  // namespace pelt::geometry
