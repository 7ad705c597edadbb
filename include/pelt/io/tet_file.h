#pragma once

#include <pelt/core/tet_mesh.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace pelt::io {

/// Reads the tetrahedra of a .mesh file (MEDIT, as text); its other elements are ignored. Positions are finite, indices
/// are in range, and there is at least one tet. Throws Error (bad input) with the file and the line.
TetMesh loadTets(const std::filesystem::path& path);

/// The same from memory; `name` is used in messages.
TetMesh parseMedit(std::span<const std::byte> bytes, const std::string& name);

}  // namespace pelt::io
