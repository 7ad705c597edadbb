#pragma once

#include <pelt/core/progress.h>

#include <cstddef>
#include <span>

#include "fbx/fbx_tree.h"
#include "mesh_builder.h"

namespace pelt::importer {

/// Reads a character in meters, y up, from bytes: FBX or Collada, detected by their start. Throws Error.
Character readBytes(std::span<const std::byte> bytes, Warnings& warnings, const Progress& progress);

/// The progress at which the steps begin, as fractions. The library reports nothing while it reads.
inline constexpr double kFileRead = 0.1, kLibraryDone = 0.5, kMeshesDone = 0.7, kClipsDone = 0.95;

/// The two converters, from the file and the result of the import library. They report progress from kLibraryDone to
/// kClipsDone. An FBX file without meshes, such as an animation, needs no scene. Without a mesh in the result, its
/// joints are the bones of the file and what it animates.
Character convertFbx(const FbxTree& tree, const aiScene* scene, Warnings& warnings, const Progress& progress);
Character convertCollada(std::string_view text, const aiScene& scene, Warnings& warnings, const Progress& progress);

inline constexpr const char* kNothing =
    "it has no mesh and no animation; export the skinned mesh together with its skeleton";

/// Whether the file has a mesh at all.
bool hasMeshes(const FbxTree& tree);

/// What a file with neither a mesh nor an animation has instead, and what to do about it.
const char* adviceWithoutMeshes(const FbxTree& tree);

/// The file with its animation stacks renamed, so that the library skips them: it crashes on some, and its result is
/// not used. `tree` is that of `bytes`.
std::vector<std::byte> withoutAnimation(std::span<const std::byte> bytes, const FbxTree& tree);

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
