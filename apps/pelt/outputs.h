#pragma once

#include <filesystem>
#include <vector>

namespace pelt::cli {

enum class OutputKind {
    character,  ///< .glb .gltf
    sequence,   ///< .npy .pc2 .mdd .glb, or a folder of .obj
    poses,      ///< a sequence, or a single frame as .obj .ply
    numbers,    ///< .npy
    picture,    ///< .png
    rig,        ///< .peltrig
};

/// Says before any work what would fail after it. Throws Error: bad usage for an extension that is not of the kind, a
/// target that is one of the inputs or would take other files with it; system for a folder that is missing or closed.
/// Standard output ("-") is not looked at.
void checkOutput(const std::filesystem::path& output, OutputKind kind,
                 const std::vector<std::filesystem::path>& inputs);

}  // namespace pelt::cli
