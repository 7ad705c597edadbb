#pragma once

#include <pelt/core/mesh.h>

#include <cstddef>
#include <filesystem>
#include <span>

namespace pelt::io {

/// Reads .obj .ply .off, or the mesh of any character file at its bind pose. OBJ and PLY polygons are cut into
/// triangles. Throws Error (bad input).
Mesh loadMesh(const std::filesystem::path& path);

Mesh parseObj(std::span<const std::byte> bytes, const std::string& name);
Mesh parsePly(std::span<const std::byte> bytes, const std::string& name);
Mesh parseOff(std::span<const std::byte> bytes, const std::string& name);

/// Writes .obj or .ply (binary).
void saveMesh(const Mesh& mesh, const std::filesystem::path& path);

}  // namespace pelt::io
