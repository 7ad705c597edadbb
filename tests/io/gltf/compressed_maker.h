#pragma once

#include "glb_maker.h"

namespace pelt::io::test {

/// The strip with EXT_meshopt_compression: positions, normals (octahedral), UVs (exponential) and indices packed, the
/// rest plain, and a fallback buffer without bytes.
GlbMaker makeMeshoptStrip();

/// The strip with KHR_draco_mesh_compression: all attributes and indices. `speed` 10 keeps the order of the vertices,
/// lower ones trade it for size.
GlbMaker makeDracoStrip(int speed = 10, std::size_t rows = 5);

/// Position, UV and heaviest joint of every vertex, sorted: the same for a strip whose vertices were shuffled.
std::vector<std::array<float, 7>> sortedVertices(const Character& character);

}  // namespace pelt::io::test
