#pragma once

#include <pelt/core/error.h>

#include <filesystem>

namespace pelt::pipeline {

enum class FileKind {
    character,  ///< .glb .gltf .vrm .fbx .dae
    mesh,       ///< .obj .ply .off
    sequence,   ///< .npy .pc2 .mdd, a folder, a glob
};

/// What a path holds, by its extension (of any case). Throws Error (bad input) for one that Pelt does not read, a file
/// that is not there, or one that is neither a plain file nor a folder.
FileKind fileKind(const std::filesystem::path& path);

/// The lower-case extension with its dot; empty where there is none.
std::string extensionOf(const std::filesystem::path& path);

}  // namespace pelt::pipeline
