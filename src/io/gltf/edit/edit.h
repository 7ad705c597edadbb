#pragma once

#include <map>

#include "io/gltf/document/accessor.h"
#include "io/gltf/document/node_tree.h"
#include "io/gltf/document/source.h"
#include "io/gltf/payload/ddm_payload.h"
#include "io/gltf/write/write_parts.h"

/// Saving a loaded character: the original document, in which what differs from the loaded state is edited.
namespace pelt::io::gltf {

/// The document to save. Throws Error (bad usage) if faces were changed or loaded joints are missing.
Document editedDocument(const Character& character, const GltfSource& source);

/// Data shared by the steps of editing.
struct Editing {
    Editing(const Character& character_, const GltfSource& source_);

    const Character& character;
    const GltfSource& source;
    Document document;  ///< the copy that is edited
    Appender appender;
    AccessorReader reader;                   ///< of the original document
    std::vector<bool> moved_parts;           ///< whether positions, normals or tangents of a part changed
    bool new_payload = false;                ///< the character has one, and it is not the document's
    std::vector<std::size_t> node_of;        ///< skeleton node -> node of the edited document
    std::vector<std::size_t> instance_node;  ///< mesh instance -> node of the edited document
};

/// Per loaded joint slot, its slot in the character, -1 if it was removed.
std::vector<std::int32_t> findLoadedJoints(const Skeleton& now, const Skeleton& loaded);

/// The source as if the file had only those joints for which `new_slot` is not -1, in the new numbers.
GltfSource withoutJoints(const GltfSource& source, const std::vector<std::int32_t>& new_slot);

/// Removes accessors and buffer views that nothing refers to, and their bytes. Does nothing to a document with
/// extensions that might refer to them in an unknown way.
void dropUnused(Document& document);

/// Changed rest transforms and appended nodes.
void editNodes(Editing& editing);

/// The skins of the edited document: finds and appends joints, and writes the matrices of those that changed.
class SkinEditor {
public:
    explicit SkinEditor(Editing& editing);

    /// The skin of an instance; created if it had none.
    std::size_t skinOf(std::size_t instance);
    /// The index of a joint slot in a skin; appended if missing.
    std::size_t indexOf(std::size_t skin, std::uint32_t slot);
    /// Writes matrices where needed; joints that no skin has yet go to the first skin.
    void finish();

private:
    struct Skin {
        std::vector<std::uint32_t> slots;
        std::map<std::uint32_t, std::size_t> index;
        Affine3d placement;  ///< from the file's positions to root space, for meshes that had no skin
        bool changed = false;
    };
    std::size_t makeSkin(const Affine3d& placement);
    void bindNode(std::size_t instance, std::size_t skin);
    void write(std::size_t skin);

    Editing& editing_;
    std::vector<Skin> skins_;
};

/// Positions, normals and tangents of some vertices in the space of the file's mesh; the last two may be empty.
struct ShapeArrays {
    std::vector<float> positions, normals, tangents;

    friend bool operator==(const ShapeArrays&, const ShapeArrays&) = default;
};

/// `placement`: from the file's space to that of the mesh.
ShapeArrays shapeArrays(const Mesh& mesh, std::size_t first, std::size_t count, const Affine3d& placement);

/// Replaces POSITION and, if present, NORMAL and TANGENT.
void writeShape(Appender& appender, Json& attributes, const ShapeArrays& shape);

/// New JOINTS_n and WEIGHTS_n for the primitives whose rows changed, new shapes for those that moved, scalar attributes
/// whose values changed, and the parts of a new Direct Delta Mush payload.
class WeightEditor {
public:
    WeightEditor(Editing& editing, SkinEditor& skins) : editing_(editing), skins_(skins) {}

    /// Writes the weights. The payload must be written last, so that it is at the end of the file.
    void edit();
    /// The parts of the payload are stored here; they exist as long as the editor.
    const std::vector<PayloadPlace>& payload() const { return places_; }

private:
    struct PrimitiveEdit {
        std::optional<WeightSets> weights;
        std::optional<ShapeArrays> shape;
        std::map<std::string, std::vector<float>> attributes;
        std::optional<PayloadPart> payload;

        friend bool operator==(const PrimitiveEdit&, const PrimitiveEdit&) = default;
    };
    /// New rows by primitive; empty: the instance did not change.
    using InstanceEdit = std::map<std::size_t, PrimitiveEdit>;

    void findChanges();
    /// Whether there are any.
    bool findChangedAttributes(const PartSource& part, std::size_t first);
    PayloadPart payloadPart(const PartSource& part, std::size_t first, std::size_t skin);
    void apply(std::size_t source_mesh, std::size_t mesh, const InstanceEdit& edit);

    Editing& editing_;
    SkinEditor& skins_;
    std::vector<InstanceEdit> edits_;  ///< one per instance
    std::vector<PayloadPlace> places_;
};

void editClips(Editing& editing);

/// A view of vertex data whose elements start at multiples of four, as glTF 2.0, 3.6.2.4 requires.
std::size_t addVertexView(Appender& appender, std::span<const std::byte> packed, std::size_t element);

/// The bounds in an accessor, for the numbers as stored (decoded quantized data may differ slightly).
void writeBounds(Json& accessor, const AccessorInfo& about, std::span<const std::byte> packed);

/// Replaces the compressed data of a primitive by plain data, except its joints and weights.
void unpackPrimitive(Editing& editing, std::size_t source_mesh, std::size_t index, Json& primitive);

/// Replaces floats that are not finite by 0: repaired data remains in the file, unused.
void clearNotFinite(Document& document);

/// Whether Draco or meshopt hold any of a primitive's attributes.
bool isCompressed(const Document& document, const JsonRef& primitive);

/// Removes compression extensions that are no longer used from the document's lists.
void dropUnusedCompression(Document& document);

}  // namespace pelt::io::gltf
