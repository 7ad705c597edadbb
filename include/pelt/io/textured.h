#pragma once

#include <pelt/rig/character.h>

#include <cstddef>
#include <span>
#include <string>

namespace pelt::io {

/// A picture on the parts of a mesh whose material has its name.
struct Texture {
    std::string name;
    std::string media_type;           ///< of `file`: "image/png" or "image/jpeg"
    std::span<const std::byte> file;  ///< embedded as it is
    bool has_alpha = false;           ///< whether what is behind shows through
};

/// A mesh with pictures on it, as if it was loaded from a .glb: without joints, its materials unlit
/// (KHR_materials_unlit), double-sided and with the pictures inside. `mesh` has UVs and parts.
Character texturedCharacter(Mesh mesh, std::span<const Texture> textures);

}  // namespace pelt::io
