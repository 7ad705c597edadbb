#pragma once

#include <assimp/scene.h>
#include <pelt/rig/character.h>

namespace pelt::importer {

using Warnings = std::vector<std::string>;

/// One mesh of the import library, a run of triangles with one material.
struct SourcePiece {
    const aiMesh* mesh = nullptr;
    std::string material;
    /// Per vertex of `mesh`, the control point it was made from; empty if the file format hides it.
    std::vector<std::uint32_t> control_points;
};

/// The weights of one bone by control point, if the file has them.
struct BonePoints {
    std::vector<std::uint32_t> points;
    std::vector<float> weights;
};

/// The pieces attached to one node, bound to joints or not.
struct SourceInstance {
    std::string name;
    std::vector<SourcePiece> pieces;
    Affine3d to_root;                     ///< the mesh's own space to root space in the bind pose
    std::vector<std::string> bones;       ///< names of the bones, those of all pieces
    std::vector<std::uint32_t> slots;     ///< the joint slot of each
    std::vector<BonePoints> bone_points;  ///< empty, or one per bone: replaces the weights of the library
    std::vector<std::string> morph_names;
    std::vector<float> morph_weights;  ///< at rest

    bool isSkinned() const { return !slots.empty(); }
};

/// Adds an instance to the character's mesh and weights. The import library creates a separate vertex for every corner
/// of every face. Vertices made from one control point with equal normals and UVs are merged again. If the control
/// points are unknown, vertices with equal position, weights and morph offsets count as one. In the first case the
/// vertices are in the file's order of control points, otherwise in order of first use.
void appendInstance(const SourceInstance& instance, Character& character, Warnings& warnings);

/// Attributes that only some instances have are filled in on the others: normals from the faces, UVs with zero.
void completeAttributes(Mesh& mesh);

Affine3d toAffine(const aiMatrix4x4& m);
Vec3d toVec(const aiVector3D& v);

}  // namespace pelt::importer
