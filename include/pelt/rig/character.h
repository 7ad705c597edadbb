#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/skin_weights.h>
#include <pelt/rig/clip.h>
#include <pelt/rig/ddm_payload.h>
#include <pelt/rig/driven_joints.h>
#include <pelt/rig/skeleton.h>

#include <memory>

namespace pelt {

/// The file that a character was loaded from, kept so that saving edits the original. Only the reader and writer use
/// it.
class SourceDocument {
public:
    virtual ~SourceDocument() = default;
};

/// Meshes of the scene that have no skin, such as a hat or a sword: each moves with its node. Every part of `mesh` is
/// in the space of its node; the numbers of its instances continue those of the skinned mesh.
struct Props {
    Mesh mesh;                         ///< has normals if and only if the skinned mesh has
    std::vector<std::uint32_t> nodes;  ///< per part of `mesh`, the node of the skeleton that moves it
};

/// A mesh on a skeleton. `weights` is empty or has one row per vertex; the mesh is in root space at bind pose, in the
/// units in which the character moves: the skin matrices of the bind pose are the identity or rigid motions
/// (rig/rest_space.h).
struct Character {
    Mesh mesh;
    Props props;  ///< not used by algorithms; in every output their vertices follow those of `mesh`
    Skeleton skeleton;
    SkinWeights weights;
    std::vector<Clip> clips;
    std::vector<rig::DrivenJoint> driven;   ///< nodes driven by others; clips contain keys for them too
    std::shared_ptr<const DdmPayload> ddm;  ///< the mushed or fitted skin, or null
    /// Per instance of the mesh, the map from the space in which the file stores it to that of `mesh`; empty: the same
    /// space.
    std::vector<Affine3d> from_file;
    std::shared_ptr<const SourceDocument> source;  ///< may be null
};

namespace rig {

/// The mushed skin; null if there is none, also if the character has a fitted one.
inline const DdmPayload* mushOf(const Character& character) {
    return character.ddm && !character.ddm->fitted ? character.ddm.get() : nullptr;
}

/// The clip of that name, otherwise of that index ("2"). Throws Error (bad input) with a list of the clips.
const Clip& findClip(const Character& character, std::string_view name_or_index);

}  // namespace rig
}  // namespace pelt
