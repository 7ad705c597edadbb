#pragma once

#include <pelt/core/vec.h>

#include <array>
#include <cstdint>
#include <vector>

namespace pelt {

using Tet = std::array<std::uint32_t, 4>;

/// A volume cut into tetrahedra, in rest space. The order of a tet's corners does not matter: its volume may have
/// either sign.
struct TetMesh {
    std::vector<Vec3d> positions;
    std::vector<Tet> tets;

    std::size_t vertexCount() const { return positions.size(); }
};

}  // namespace pelt
