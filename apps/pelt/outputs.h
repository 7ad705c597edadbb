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

/// Checks outputs before any work. Throws Error: bad usage for an extension of another kind, or a target that is one of
/// the inputs or would replace other files; system for a folder that is missing or not writable. Standard output ("-")
/// is not checked.
void checkOutput(const std::filesystem::path& output, OutputKind kind,
                 const std::vector<std::filesystem::path>& inputs);

}  // namespace pelt::cli
