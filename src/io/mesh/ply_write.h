#pragma once

#include <pelt/core/mesh.h>
#include <pelt/io/atomic_file.h>

namespace pelt::io {

/// Binary little-endian PLY: positions, normals (nx ny nz) and UVs (s t) if the mesh has them, triangles.
void writePly(const Mesh& mesh, AtomicFile& file);

}  // namespace pelt::io
