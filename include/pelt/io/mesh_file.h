#pragma once

#include <pelt/core/mesh.h>
#include <pelt/io/character_file.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace pelt::io {

/// Reads .obj .ply .off, or the mesh of any character file at its bind pose. Vertices keep their number and order;
/// polygons are triangulated in the order of the faces. Positions are finite, indices in range, normals have unit
/// length. Throws Error (bad input) with the file and the line, vertex or face.
Mesh loadMesh(const std::filesystem::path& path, const LoadOptions& options = {});

/// The same from memory; `name` is used in messages. OBJ: one vertex per `v`; UVs of each vertex's first corner; the
/// normal shared by its corners, otherwise their mean; parts if groups use separate vertex ranges.
Mesh parseObj(std::span<const std::byte> bytes, const std::string& name);
Mesh parsePly(std::span<const std::byte> bytes, const std::string& name);
Mesh parseOff(std::span<const std::byte> bytes, const std::string& name);

/// One of these by the extension of `name`, otherwise by how the bytes begin; nullopt if they are none of them.
std::optional<Mesh> parseMesh(std::span<const std::byte> bytes, const std::string& name);

/// Writes .obj (the shortest decimals that give the same floats) or .ply (binary, little-endian), with normals and UVs
/// if the mesh has them. Throws Error: bad usage for another extension, bad input for a mesh that is inconsistent or
/// not finite, system if the disk is full or not writable.
void saveMesh(const Mesh& mesh, const std::filesystem::path& path);

}  // namespace pelt::io
