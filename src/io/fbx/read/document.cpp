// Finds the objects of an FBX file and what is connected to what.
#include "document.h"

#include <cmath>

namespace pelt::io::fbx {
namespace {

/// "Model::hip" in text files, "hip\0\1Model" in binary ones.
std::string objectName(std::string_view text) {
    if (const auto split = text.find(std::string_view("\0\1", 2)); split != std::string_view::npos)
        return std::string(text.substr(0, split));
    if (const auto split = text.find("::"); split != std::string_view::npos) return std::string(text.substr(split + 2));
    return std::string(text);
}

const Element* findProperty(const Element* owner, std::string_view name) {
    const Element* list = owner ? owner->find("Properties70") : nullptr;
    if (!list) return nullptr;
    for (const Element& property : list->children)
        if (property.name == "P" && property.text(0) == name) return &property;
    return nullptr;
}

double finite(double value, double fallback) { return std::isfinite(value) ? value : fallback; }

}  // namespace

FbxDocument::FbxDocument(const Tree& tree) : tree_(tree) {
    if (const Element* definitions = tree.root.find("Definitions"))
        for (const Element& type : definitions->children)
            if (const Element* properties = type.find("PropertyTemplate")) templates_[type.text(0)] = properties;
    if (const Element* objects = tree.root.find("Objects")) readObjects(*objects);
    if (const Element* connections = tree.root.find("Connections")) readConnections(*connections);
}

void FbxDocument::readObjects(const Element& objects) {
    for (const Element& element : objects.children) {
        const std::int64_t id = element.integer(0);
        if (id == 0 || objects_.contains(id)) continue;
        objects_[id] = {id, element.name, element.text(2), objectName(element.text(1)), &element};
    }
}

void FbxDocument::readConnections(const Element& connections) {
    for (const Element& c : connections.children) {
        if (c.name != "C") continue;
        const std::int64_t from = c.integer(1), to = c.integer(2);
        const std::string_view property = c.text(0) == "OP" ? c.text(3) : std::string_view();
        const FbxObject* source = object(from);
        if (!source || (to != 0 && !object(to))) continue;
        sources_[to].push_back({source, property});
        if (to != 0) destinations_[from].push_back({object(to), property});
    }
}

std::vector<const FbxObject*> FbxDocument::objects(std::string_view kind) const {
    std::vector<const FbxObject*> found;
    if (const Element* list = tree_.root.find("Objects"))
        for (const Element& element : list->children)
            if (const FbxObject* o = object(element.integer(0)); o && o->element == &element && element.name == kind)
                found.push_back(o);
    return found;
}

const FbxObject* FbxDocument::object(std::int64_t id) const {
    const auto it = objects_.find(id);
    return it == objects_.end() ? nullptr : &it->second;
}

const std::vector<FbxLink>& FbxDocument::sources(std::int64_t id) const {
    static const std::vector<FbxLink> none;
    const auto it = sources_.find(id);
    return it == sources_.end() ? none : it->second;
}

const std::vector<FbxLink>& FbxDocument::destinations(std::int64_t id) const {
    static const std::vector<FbxLink> none;
    const auto it = destinations_.find(id);
    return it == destinations_.end() ? none : it->second;
}

std::vector<const FbxObject*> FbxDocument::sources(std::int64_t id, std::string_view kind,
                                                   std::string_view subtype) const {
    std::vector<const FbxObject*> found;
    for (const FbxLink& link : sources(id))
        if (link.property.empty() && link.object->kind == kind && (subtype.empty() || link.object->subtype == subtype))
            found.push_back(link.object);
    return found;
}

const Element* FbxDocument::property(const FbxObject& object, std::string_view name) const {
    if (const Element* own = findProperty(object.element, name)) return own;
    const auto it = templates_.find(object.kind);
    return it == templates_.end() ? nullptr : findProperty(it->second, name);
}

Vec3d FbxDocument::vector(const FbxObject& object, std::string_view name, Vec3d fallback) const {
    const Element* p = property(object, name);
    if (!p || p->values.size() < 7) return fallback;
    const Vec3d v{p->real(4), p->real(5), p->real(6)};
    return isFinite(v) ? v : fallback;
}

double FbxDocument::number(const FbxObject& object, std::string_view name, double fallback) const {
    const Element* p = property(object, name);
    return p && p->values.size() >= 5 ? finite(p->real(4), fallback) : fallback;
}

double FbxDocument::setting(std::string_view name, double fallback) const {
    const Element* p = findProperty(tree_.root.find("GlobalSettings"), name);
    return p && p->values.size() >= 5 ? finite(p->real(4), fallback) : fallback;
}

}  // namespace pelt::io::fbx
