#pragma once

#include <pelt/rig/character.h>

#include "document.h"

namespace pelt::io::gltf {

/// A node that carries a mesh of the character.
struct InstanceSource {
    std::size_t node = 0, mesh = 0;
    std::optional<std::size_t> skin;
    Affine3d placement;  ///< file positions to the rest space of the character
};

/// The place of a part of the mesh in the document.
struct PartSource {
    std::size_t instance = 0, primitive = 0, vertex_count = 0;
    bool mended_weights = false, mended_shape = false;  ///< the original data of the file must not be written again
    bool loose_weights = false;                         ///< the weights of a vertex do not sum to 1 in the file
};

/// The place of a clip in the document: per channel of the clip, the channel of the animation.
struct ClipSource {
    std::size_t animation = 0;
    std::vector<std::size_t> channels;
    std::vector<bool> mended;  ///< per channel: its keys are not those of the file
};

/// The document a character was loaded from, how the character's parts map to it, and the loaded state that a save
/// compares with.
class GltfSource final : public SourceDocument {
public:
    Document document;
    std::vector<std::size_t> node_of;  ///< skeleton node -> document node
    std::vector<InstanceSource> instances;
    std::vector<InstanceSource> props;                   ///< those of Character::props; saving does not change them
    std::vector<PartSource> parts;                       ///< one per part of the mesh
    std::vector<std::vector<std::uint32_t>> skin_slots;  ///< skin -> index in the skin -> joint slot; empty: not read
    std::vector<ClipSource> clip_sources;
    std::vector<bool> mended_skins;  ///< per skin: its inverse bind matrices are not those of the file

    std::vector<std::vector<Affine3d>> inverse_binds;  ///< skin -> index in the skin -> as stored in the file
    /// Whether any loaded data differs from the file.
    bool isMended() const;

    Skeleton skeleton;
    SkinWeights weights;
    std::shared_ptr<const DdmPayload> ddm;
    std::vector<Clip> clips;
    std::vector<VertexAttribute> attributes;
    bool lean = false;  ///< a save leaves out data that nothing refers to, and normalizes all weights
    std::uint64_t faces_hash = 0;
    std::vector<std::uint64_t> shape_hashes;  ///< one per part
};

/// Hashes to detect whether a mesh was changed after loading: for its triangles, and for positions, normals and
/// tangents of some vertices.
std::uint64_t hashFaces(const Mesh& mesh);
std::uint64_t hashShape(const Mesh& mesh, std::size_t first, std::size_t count);

}  // namespace pelt::io::gltf
