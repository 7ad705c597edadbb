#pragma once

#include <pelt/core/ddm_payload.h>
#include <pelt/core/mesh.h>
#include <pelt/core/skin_weights.h>
#include <pelt/rig/clip.h>
#include <pelt/rig/driven_joints.h>
#include <pelt/rig/skeleton.h>

#include <memory>

namespace pelt {

/// The file a character came from, kept so that saving edits the original; only the reader and writer look inside.
class SourceDocument {
public:
    virtual ~SourceDocument() = default;
};

/// Meshes that hang in the scene beside the skin, such as a hat or a sword: each is moved by its node alone. Every part
/// of `mesh` is in the space of its node; its instances are numbered on from those of the skinned mesh.
struct Props {
    Mesh mesh;                         ///< has normals exactly where the skinned mesh has
    std::vector<std::uint32_t> nodes;  ///< per part of `mesh`, the node of the skeleton that moves it
};

/// A mesh on a skeleton. `weights` is empty or has one row per vertex; the mesh is in root space at bind pose, in the
/// units that the figure moves in: the skin matrices of the bind pose are the identity or rigid motions
/// (rig/rest_space.h).
struct Character {
    Mesh mesh;
    Props props;  ///< no algorithm looks at them; they come after the vertices of `mesh` wherever vertices come out
    Skeleton skeleton;
    SkinWeights weights;
    std::vector<Clip> clips;
    std::vector<rig::DrivenJoint> driven;   ///< nodes that follow others; clips hold their keys too
    std::shared_ptr<const DdmPayload> ddm;  ///< the mushed skin, null where there is none
    /// Per instance of the mesh, from the space that the file stores it in to that of `mesh`; empty: the same space.
    std::vector<Affine3d> from_file;
    std::vector<std::string> warnings;             ///< what the loader mended, a sentence each
    std::shared_ptr<const SourceDocument> source;  ///< may be null
};

namespace rig {

/// The clip of that name, else of that index ("2"). Throws Error (bad input) naming the clips there are.
const Clip& findClip(const Character& character, std::string_view name_or_index);

}  // namespace rig
}  // namespace pelt
