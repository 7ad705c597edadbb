#pragma once

#include <pelt/core/error.h>

#include <filesystem>

namespace pelt::pipeline {

enum class FileKind {
    character,  ///< .glb .gltf .vrm .fbx .dae
    mesh,       ///< .obj .ply .off
    sequence,   ///< .npy .pc2 .mdd, a folder, a glob
};

/// The kind of a file, by its extension (ignoring case). Throws Error (bad input) for an extension that Pelt does not
/// read, a missing file, or one that is neither a regular file nor a folder.
FileKind fileKind(const std::filesystem::path& path);

/// The extension in lower case, with its dot; empty if there is none.
std::string extensionOf(const std::filesystem::path& path);

}  // namespace pelt::pipeline
