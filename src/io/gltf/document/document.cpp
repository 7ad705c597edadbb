// Access to the arrays and extensions of a glTF document.
#include "document.h"

#include <fmt/format.h>

namespace pelt::io::gltf {

std::size_t Document::count(const char* collection_name) const {
    const auto found = json.find(collection_name);
    return found == json.end() ? 0 : found->size();
}

JsonRef Document::item(const char* collection_name, std::size_t index) const {
    return {json.at(collection_name)[index], name, fmt::format("{}[{}]", collection_name, index)};
}

namespace {

void dropFromList(Json& json, const char* list, const char* name) {
    const auto found = json.find(list);
    if (found == json.end()) return;
    Json kept = Json::array();
    for (const Json& entry : *found)
        if (entry != name) kept.push_back(entry);
    if (kept.empty())
        json.erase(list);
    else
        *found = std::move(kept);
}

}  // namespace

void eraseExtension(Json& object, const char* name) {
    const auto extensions = object.find("extensions");
    if (extensions == object.end() || !extensions->is_object()) return;
    extensions->erase(name);
    if (extensions->empty()) object.erase("extensions");
}

void dropExtension(Document& document, const char* name) {
    dropFromList(document.json, "extensionsUsed", name);
    dropFromList(document.json, "extensionsRequired", name);
}

std::optional<JsonRef> findMeshopt(const JsonRef& view) {
    for (const char* name : kMeshopt)
        if (auto found = findExtension(view, name)) return found;
    return std::nullopt;
}

Json* meshoptOf(Json& view) {
    const auto extensions = view.find("extensions");
    if (extensions == view.end()) return nullptr;
    for (const char* name : kMeshopt)
        if (const auto found = extensions->find(name); found != extensions->end()) return &*found;
    return nullptr;
}

bool isSkinAttribute(const std::string& name) { return name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_"); }

Json& collection(Document& document, const char* name) {
    Json& array = document.json[name];
    if (array.is_null()) array = Json::array();
    return array;
}

}  // namespace pelt::io::gltf
