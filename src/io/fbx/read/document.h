#pragma once

#include <pelt/core/vec.h>

#include <map>
#include <optional>

#include "io/fbx/tree/tree.h"

namespace pelt::io::fbx {

struct FbxObject {
    std::int64_t id = 0;
    std::string_view kind;     ///< the element's name: Model, Geometry, Deformer, AnimationCurve …
    std::string_view subtype;  ///< LimbNode, Mesh, Skin, Cluster …
    std::string name;
    const Element* element = nullptr;
};

/// An object that is linked to another; `property` is the property it drives, or empty.
struct FbxLink {
    const FbxObject* object = nullptr;
    std::string_view property;
};

/// The objects of an FBX file and their connections. Refers to the tree, which must outlive it.
class FbxDocument {
public:
    explicit FbxDocument(const Tree& tree);

    bool isText() const { return tree_.is_text; }
    std::vector<const FbxObject*> objects(std::string_view kind) const;
    const FbxObject* object(std::int64_t id) const;

    /// The objects connected to `id`, in the file's order; id 0 is the scene's root.
    const std::vector<FbxLink>& sources(std::int64_t id) const;
    /// Those of one kind (and subtype, unless empty) that drive no property.
    std::vector<const FbxObject*> sources(std::int64_t id, std::string_view kind, std::string_view subtype = {}) const;
    /// The objects that `id` is connected to.
    const std::vector<FbxLink>& destinations(std::int64_t id) const;

    /// A property of the object, otherwise of the template of its kind; nullptr if neither has it.
    const Element* property(const FbxObject& object, std::string_view name) const;
    Vec3d vector(const FbxObject& object, std::string_view name, Vec3d fallback = {}) const;
    double number(const FbxObject& object, std::string_view name, double fallback = 0) const;
    /// A property of GlobalSettings.
    double setting(std::string_view name, double fallback) const;

private:
    void readObjects(const Element& objects);
    void readConnections(const Element& connections);

    const Tree& tree_;
    std::map<std::int64_t, FbxObject> objects_;
    std::map<std::string_view, const Element*> templates_;
    std::map<std::int64_t, std::vector<FbxLink>> sources_, destinations_;
};

}  // namespace pelt::io::fbx
