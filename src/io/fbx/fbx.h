#pragma once

#include <pelt/core/progress.h>

#include <string>

#include "io/gltf/document/source.h"

/// FBX, read into a glTF document and written from one: everything else sees glTF alone.
namespace pelt::io::fbx {

/// Whether bytes begin like a binary or text FBX file.
bool isFbx(std::span<const std::byte> bytes);

/// Reads FBX 6.0 to 7.7, binary or text: nodes, meshes, skins, blend shapes, materials with pictures, clips. The root
/// node converts the file's units and axes to meters, y up. Pictures beside the file are URIs, or left out. `warnings`
/// get what was repaired. Throws Error (bad input). Progress is reported for the stage "import".
gltf::Document readDocument(std::span<const std::byte> bytes, bool pictures_beside, std::vector<std::string>& warnings,
                            const Progress& progress);

/// The root node of documents that were read.
inline constexpr const char* kConversionNode = "file_axes_and_units";

/// Finds the pictures that a document refers to, as exporters scatter them: where it says, beside the file, in
/// textures/ or NAME.fbm/. Those that are not found or not PNG or JPEG are removed, with one warning.
void findPictures(gltf::Document& document, const std::string& file_name, std::vector<std::string>& warnings);

/// Writes a binary FBX file of version 7.4, in centimeters. `character` was loaded from the document of `source`, with
/// all of its nodes. Pictures are inside the file. `warnings` get what FBX cannot store. Throws Error (bad input).
std::vector<std::byte> write(const Character& character, const gltf::GltfSource& source, bool z_up,
                             std::vector<std::string>& warnings);

}  // namespace pelt::io::fbx
