#pragma once

#include <pelt/core/error.h>
#include <pelt/core/mesh.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace pelt::io {

/// The extension in lower case, with its dot.
std::string lowerExtension(const std::filesystem::path& path);

/// The `v` records of an OBJ file alone: what a frame of a sequence needs.
std::vector<Vec3f> parseObjPositions(std::span<const std::byte> bytes, const std::string& name);

/// The nearest float; infinite where the double is beyond its range.
float toFloat(double value);

/// Makes every normal a unit vector (those that are within rounding stay as they are); false if one has no direction.
bool makeUnit(std::span<Vec3f> normals);

/// Throws Error (bad input) that names `name` and the vertex where a position is not finite.
void checkFinite(std::span<const Vec3f> positions, const ErrorPlace& place);

/// Checks that a mesh can be written: finite positions, normals and UVs for every vertex or none, triangles in range.
/// Throws Error (bad input) that names `name`, the file it was meant for.
void checkMesh(const Mesh& mesh, const std::string& name);

}  // namespace pelt::io
