#pragma once

#include <pelt/core/progress.h>
#include <pelt/rig/character.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace pelt::io {

/// A character and what was repaired while it was read.
struct Loaded {
    Character character;
    std::vector<std::string> warnings;  ///< one sentence each
};

struct LoadOptions {
    /// Whether external files of a .glb or .gltf are read only if they are in its own folder or below (symbolic links
    /// are resolved): for programs that read untrusted files. A buffer elsewhere is then bad input, an image elsewhere
    /// is not copied when the character is saved. Off by default, because many asset collections keep images in a
    /// folder beside the models.
    bool local_files_only = false;
};

/// Reads a character: .glb .gltf .vrm, and .fbx .dae through the importer (see import.h). Throws Error (bad input) with
/// one line that names the file, the problem, where it is and what to do; cancelled if `progress` requests it.
/// Progress is reported for the stage "load" (or "import"). docs/gltf.md describes what is read.
Loaded loadCharacter(const std::filesystem::path& path, const LoadOptions& options = {}, const Progress& progress = {});

/// A .glb or .gltf from memory; `folder` contains the external buffers (empty: these are refused). `name` is used in
/// messages. `bytes` need not outlive the call.
Loaded loadGltf(std::span<const std::byte> bytes, const std::string& name, const std::filesystem::path& folder = {},
                const LoadOptions& options = {}, const Progress& progress = {});

/// A character from memory: .fbx if the bytes begin like one, otherwise as loadGltf reads it, without external files.
/// FBX is read in this process: for files from elsewhere, loadCharacter does so in one that can do no harm.
Loaded loadBytes(std::span<const std::byte> bytes, const std::string& name, const Progress& progress = {});

/// An FBX file as the .glb that its character is loaded from; `warnings` get what was repaired. For the importer.
std::vector<std::byte> importedGlb(std::vector<std::byte> fbx, std::vector<std::string>& warnings,
                                   const Progress& progress = {});

/// Whether bytes begin like an FBX file.
bool isFbx(std::span<const std::byte> bytes);

/// The skeleton of all nodes of a file and its clips, with or without a mesh.
struct Motion {
    Skeleton skeleton;
    std::vector<Clip> clips;
    std::vector<std::string> warnings;
};

/// Reads the motion of a character file; meshes are ignored. Throws Error as loadCharacter does.
Motion loadMotion(const std::filesystem::path& path, const LoadOptions& options = {}, const Progress& progress = {});

/// The external files that a .glb, .gltf or .vrm refers to by URI, whether they exist or not: buffers, images, sounds.
/// Empty for other files.
std::vector<std::filesystem::path> referredFiles(const std::filesystem::path& path);

/// Writes .glb, .vrm (a .glb that keeps the rules of VRM 0 or 1; bad usage for what is no avatar) or .gltf (with a .bin
/// beside it, under a new name, so that readers find either the old pair or the new one at any time; the .bin of a
/// replaced .gltf is removed). A character that was loaded is written as its original document, in which only what
/// differs from the loaded state is edited: positions, normals and tangents, weights, scalar attributes, clips, rest
/// transforms and inverse binds, nodes and joints appended after the loaded ones, joints that were removed
/// (rig::removeJoints; their nodes stay). One made in memory (source is null) gets a new document. The file has a
/// Direct Delta Mush payload if and only if Character::ddm is not null, and PELT_driven_joints if and only if
/// Character::driven is not empty. Throws Error: bad usage if the faces of a loaded character were changed, if vertices
/// moved but the payload is still the loaded one, if loaded nodes or weights are missing, if sizes are inconsistent, or
/// for another extension; bad input if the loaded document cannot be edited; system if the disk is full or not
/// writable.
///
/// .fbx: binary, version 7.4, in centimeters, with pictures inside. It has no payload and nothing that drives joints.
struct SaveOptions {
    bool z_up = false;                             ///< FBX: whether z is up, not y
    std::vector<std::string>* warnings = nullptr;  ///< FBX: gets what the format cannot store, one sentence each
};
void saveCharacter(const Character& character, const std::filesystem::path& path, const SaveOptions& options = {});

/// The .fbx that saveCharacter would write, in memory.
std::vector<std::byte> toFbx(const Character& character, const SaveOptions& options = {});

/// The meshes of a loaded character alone, at rest in root space, with the materials of its document: no joints, skin,
/// clips or payload; props become part of the mesh. Throws Error (bad usage) for a character without a source.
Character withoutRig(const Character& character);

/// A loaded character with other triangles over the vertices of its mesh and its props, such as a level of detail: its
/// document with the vertices in use alone (geometry::keptVertices). Every attribute is kept; the Direct Delta Mush
/// payload is dropped. Each triangle has its corners in one part, and no part loses all of its triangles. Throws Error
/// (bad usage) for a character without a source.
Character withTriangles(const Character& character, std::span<const Triangle> triangles,
                        std::span<const Triangle> prop_triangles);

/// Saving the character then leaves out data of its document that nothing refers to, such as the keys and weights that
/// others replaced, and writes all weights normalized. A file with extensions that may refer to data in ways that Pelt
/// does not know keeps all data.
void leaveOutUnused(Character& character);

/// Writes a character and its levels of detail, finest first, as one .glb or .gltf with MSFT_lod. The levels come from
/// withTriangles, or all characters have no source; only the first keeps its Direct Delta Mush payload. `coverage`: one
/// per level, the share of the screen below which it replaces the one before it. Loading the file gives `character`.
void saveLevels(const Character& character, std::span<const Character> levels, std::span<const double> coverage,
                const std::filesystem::path& path);

/// The .glb that saveLevels would write, in memory.
std::vector<std::byte> levelsToGlb(const Character& character, std::span<const Character> levels,
                                   std::span<const double> coverage);

/// The .glb that saveCharacter would write, in memory.
std::vector<std::byte> toGlb(const Character& character);

}  // namespace pelt::io
