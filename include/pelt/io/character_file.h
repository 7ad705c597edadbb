#pragma once

#include <pelt/core/progress.h>
#include <pelt/rig/character.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace pelt::io {

/// Reads a character: .glb .gltf .vrm, and .fbx .dae through the importer (see import.h). Throws Error (bad input) with
/// one line that names the file, the fault, its place and a remedy; cancelled where `progress` asks for it, which is
/// told rising fractions of the stage "load" (or "import"). docs/gltf.md says what is read and how.
Character loadCharacter(const std::filesystem::path& path, const Progress& progress = {});

/// Whether files that a .glb or .gltf names by URI are read only where they lie in its own folder or below it, links
/// followed: for programs that read what strangers made. A buffer elsewhere is then bad input, a picture elsewhere
/// stays where it is. Not so at first: many collections keep their pictures in a folder beside that of the models.
/// Holds for the whole process.
void setLocalFilesOnly(bool only);

/// A .glb or .gltf from memory; `folder` is where external buffers are looked for (empty: they are refused). `name` is
/// how messages call it. `bytes` need not outlive the call.
Character loadGltf(std::span<const std::byte> bytes, const std::string& name, const std::filesystem::path& folder = {},
                   const Progress& progress = {});

/// A skeleton of all nodes of a file and what animates them, whether there is a mesh or not.
struct Motion {
    Skeleton skeleton;
    std::vector<Clip> clips;
    std::vector<std::string> warnings;
};

/// Reads the motion of a character file; meshes are not looked at. Throws Error as loadCharacter does.
Motion loadMotion(const std::filesystem::path& path, const Progress& progress = {});

/// The files that a .glb, .gltf or .vrm names by URI, whether they exist or not: buffers, pictures, sounds. None where
/// it is no such file.
std::vector<std::filesystem::path> referredFiles(const std::filesystem::path& path);

/// Writes .glb or .gltf (with a .bin beside it, under a name that nothing else has: a reader finds the old pair or the
/// new one at every moment; the .bin of a .gltf that is replaced is removed). A character that was loaded goes out as
/// its own document, with only what differs from the loaded state edited: positions, normals and tangents, weights,
/// clips, rest transforms and inverse binds, nodes and joints appended after the loaded ones. One made in memory
/// (source is null) gets a new document. A file has a Direct Delta Mush payload exactly where Character::ddm is not
/// null, and PELT_driven_joints exactly where Character::driven is not empty, whatever it had before. Throws Error: bad
/// usage where the faces of a loaded character are not the loaded ones, where vertices moved and its payload is the
/// loaded one, where loaded nodes, joints or weights are missing, where sizes contradict each other or for another
/// extension; bad input where the loaded document itself cannot be edited; system where the disk says no.
void saveCharacter(const Character& character, const std::filesystem::path& path);

/// What saveCharacter would write as .glb, in memory.
std::vector<std::byte> toGlb(const Character& character);

}  // namespace pelt::io
