#pragma once

#include <pelt/core/error.h>
#include <pelt/core/mesh.h>
#include <pelt/io/extension.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace pelt::io {

/// Only the `v` records of an OBJ file: the data of a sequence's frame.
std::vector<Vec3f> parseObjPositions(std::span<const std::byte> bytes, const std::string& name);

/// The nearest float; infinite if the double is outside the range of floats.
float toFloat(double value);

/// Makes every normal a unit vector (those of unit length up to rounding are not changed); false if one has no
/// direction.
bool makeUnit(std::span<Vec3f> normals);

/// Throws Error (bad input) that names `name` and the vertex if a position is not finite.
void checkFinite(std::span<const Vec3f> positions, const ErrorPlace& place);

/// Checks that a mesh can be written: finite positions, normals and UVs for every vertex or none, triangles in range.
/// Throws Error (bad input) that names `name`, the file it was meant for.
void checkMesh(const Mesh& mesh, const std::string& name);

}  // namespace pelt::io
