#pragma once

#include <pelt/core/error.h>
#include <pelt/io/extension.h>
#include <pelt/methods/sampling.h>

#include <filesystem>
#include <optional>

namespace pelt::verbs {

enum class FileKind {
    character,  ///< .glb .gltf .vrm .fbx .dae
    mesh,       ///< .obj .ply .off
    sequence,   ///< .npy .pc2 .mdd, a folder, a glob
};

/// The kind of a file, by its extension (ignoring case). Throws Error (bad input) for an extension that Pelt does not
/// read, a missing file, or one that is neither a regular file nor a folder.
FileKind fileKind(const std::filesystem::path& path);

}  // namespace pelt::verbs
