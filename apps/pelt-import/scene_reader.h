#pragma once

#include <pelt/core/progress.h>

#include <cstddef>
#include <span>
#include <string_view>

#include "mesh_builder.h"

namespace pelt::importer {

/// Reads a character in meters, y up, from the bytes of a Collada file. Throws Error.
Character readBytes(std::span<const std::byte> bytes, Warnings& warnings, const Progress& progress);

/// The progress at which the steps begin, as fractions. The library reports nothing while it reads.
inline constexpr double kFileRead = 0.1, kLibraryDone = 0.5, kMeshesDone = 0.7, kClipsDone = 0.95;

/// From the file and the result of the import library. Reports progress from kLibraryDone to kClipsDone. Without a mesh
/// in the result, its joints are the bones of the file and what it animates.
Character convertCollada(std::string_view text, const aiScene& scene, Warnings& warnings, const Progress& progress);

/// A node of the import library's tree that carries meshes.
struct MeshNode {
    const aiNode* node = nullptr;
    std::vector<const aiMesh*> meshes;
    Affine3d world;
};
/// In depth-first order from the root; meshes without a triangle are left out.
std::vector<MeshNode> meshNodes(const aiScene& scene);

/// Removes instances without a skin if others have one, with a warning.
void keepSkinned(std::vector<SourceInstance>& instances, Warnings& warnings);

/// The slot for a node and its inverse bind matrix; a new one unless an equal one exists.
std::uint32_t jointSlot(Skeleton& skeleton, std::uint32_t node, const Affine3d& inverse_bind);

/// Whether two maps agree to about single precision.
bool nearlyEqual(const Affine3d& a, const Affine3d& b);
bool isFiniteMap(const Affine3d& a);

/// Binds the nodes that clips move, in their rest pose, unless a joint does so.
void useMovedNodesAsJoints(Character& character);

/// Keeps joints and their ancestors (without a mesh: all nodes), renumbers clips, and gives every node a unique name.
void finishSkeleton(Character& character);

}  // namespace pelt::importer
