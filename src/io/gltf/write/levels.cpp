// Adds levels of detail to a document as MSFT_lod.
#include "levels.h"

#include <algorithm>

#include "io/gltf/edit/edit.h"
#include "io/gltf/payload/ddm_payload.h"

namespace pelt::io::gltf {
namespace {

/// Copies meshes of another document.
class MeshCopier {
public:
    using Accessors = std::map<std::string, std::size_t>;

    /// `accessors`: those that were added, by their JSON. Equal data has one view, and a view without a stride has one
    /// accessor.
    MeshCopier(Document& document, Appender& appender, const Document& from, Accessors& accessors)
        : document_(document), appender_(appender), from_(from), reader_(from), accessors_(accessors) {}

    std::size_t copy(std::size_t mesh) {
        Json made = from_.json["meshes"][mesh];
        for (Json& primitive : made["primitives"]) {
            eraseExtension(primitive, kDirectDeltaMush);
            copyAll(primitive["attributes"]);
            if (primitive.contains("targets"))
                for (Json& target : primitive["targets"]) copyAll(target);
            if (primitive.contains("indices"))
                primitive["indices"] = appender_.addIndices(
                    reader_.integers(primitive["indices"].get<std::size_t>(), "SCALAR"), vertices_);
        }
        document_.json["meshes"].push_back(std::move(made));
        return document_.json["meshes"].size() - 1;
    }

private:
    void copyAll(Json& references) {
        for (auto& [name, reference] : references.items()) {
            const std::size_t accessor = reference.get<std::size_t>();
            const AccessorInfo about = reader_.info(accessor);
            Json made = from_.json["accessors"][accessor];
            for (const char* key : {"byteOffset", "sparse"}) made.erase(key);
            made["bufferView"] =
                addVertexView(appender_, reader_.packed(accessor), about.component_bytes * about.width);
            Json& accessors = document_.json["accessors"];
            const auto [known, is_new] = accessors_.try_emplace(made.dump(), accessors.size());
            if (is_new) accessors.push_back(std::move(made));
            reference = known->second;
            vertices_ = about.count;
        }
    }

    Document& document_;
    Appender& appender_;
    const Document& from_;
    AccessorReader reader_;
    Accessors& accessors_;
    std::size_t vertices_ = 0;  ///< of the last primitive
};

/// Per entry of a top-level array, whether anything at `references` refers to it.
class UsedEntries {
public:
    explicit UsedEntries(std::size_t count) : used_(count, false) {}

    void add(const Json& object, const char* key) {
        const auto found = object.is_object() ? object.find(key) : object.end();
        if (found == object.end()) return;
        for (const Json& reference : found->is_array() ? *found : Json::array({*found}))
            if (reference.is_number_unsigned() && reference.get<std::uint64_t>() < used_.size())
                used_[reference.get<std::size_t>()] = true;
    }
    bool isUsed(std::size_t index) const { return used_[index]; }

private:
    std::vector<bool> used_;
};

/// The entries of a top-level array; none if the document has no such array.
const Json& entriesOf(const Json& json, const char* name) {
    static const Json kNone = Json::array();
    const auto found = json.find(name);
    return found != json.end() && found->is_array() ? *found : kNone;
}

UsedEntries usedNodes(const Document& document) {
    UsedEntries used(document.count("nodes"));
    for (const Json& node : entriesOf(document.json, "nodes")) used.add(node, "children");
    for (const Json& scene : entriesOf(document.json, "scenes")) used.add(scene, "nodes");
    for (const Json& skin : entriesOf(document.json, "skins")) used.add(skin, "joints"), used.add(skin, "skeleton");
    for (const Json& animation : entriesOf(document.json, "animations"))
        for (const Json& channel : entriesOf(animation, "channels"))
            if (const auto target = channel.find("target"); target != channel.end()) used.add(*target, "node");
    return used;
}

/// Removes entries at the end of an array, which nobody has to be renumbered for.
template <class CanGo>
void dropLast(Document& document, const char* name, const CanGo& canGo) {
    if (!document.json.contains(name)) return;
    Json& list = document.json[name];
    while (!list.empty() && canGo(list.size() - 1)) list.erase(list.size() - 1);
    if (list.empty()) document.json.erase(name);
}

}  // namespace

void dropLevels(Document& document) {
    const std::vector<bool> levels = levelNodes(document);
    if (std::find(levels.begin(), levels.end(), true) != levels.end()) {
        for (std::size_t n = 0; n < levels.size(); ++n)
            if (levels[n])
                for (const char* key : {"mesh", "skin", "weights"}) document.json["nodes"][n].erase(key);
        const UsedEntries used = usedNodes(document);
        dropLast(document, "nodes", [&](std::size_t n) {
            return levels[n] && !used.isUsed(n) && !document.json["nodes"][n].contains("children");
        });
        UsedEntries meshes(document.count("meshes"));
        for (const Json& node : entriesOf(document.json, "nodes")) meshes.add(node, "mesh");
        dropLast(document, "meshes", [&](std::size_t m) { return !meshes.isUsed(m); });
    }
    if (document.json.contains("nodes"))
        for (Json& node : document.json["nodes"]) {
            eraseExtension(node, kLevels);
            if (const auto extras = node.find("extras"); extras != node.end() && extras->is_object())
                if (extras->erase("MSFT_screencoverage") > 0 && extras->empty()) node.erase("extras");
        }
    const Json& materials = entriesOf(document.json, "materials");  // which may have levels of their own
    if (std::none_of(materials.begin(), materials.end(), [](const Json& material) {
            return material.contains("extensions") && material["extensions"].contains(kLevels);
        }))
        dropExtension(document, kLevels);
}

void addLevels(Document& document, std::span<const Document> levels, std::span<const double> coverage) {
    dropLevels(document);
    for (const char* name : {"buffers", "bufferViews", "accessors"}) collection(document, name);
    Appender appender(document);
    const std::size_t nodes = document.count("nodes");
    MeshCopier::Accessors accessors;
    std::vector<Json> ids(nodes, Json::array());
    for (std::size_t l = 0; l < levels.size(); ++l) {
        MeshCopier copier(document, appender, levels[l], accessors);
        for (std::size_t n = 0; n < nodes; ++n) {
            const Json& base = document.json["nodes"][n];
            const auto mesh = base.find("mesh");
            if (mesh == base.end() || !levels[l].json["nodes"][n].contains("mesh")) continue;
            Json level = base;
            for (const char* key : {"children", "extensions", "extras", "camera"}) level.erase(key);
            if (level.contains("name"))
                level["name"] = level["name"].get<std::string>() + "_lod" + std::to_string(l + 1);
            level["mesh"] = copier.copy(levels[l].json["nodes"][n]["mesh"].get<std::size_t>());
            ids[n].push_back(document.json["nodes"].size());
            document.json["nodes"].push_back(std::move(level));
        }
    }
    Json shares = Json::array();
    for (const double share : coverage) shares.push_back(share);
    shares.push_back(0);
    for (std::size_t n = 0; n < nodes; ++n) {
        if (ids[n].empty()) continue;
        Json& node = document.json["nodes"][n];
        Json& extensions = node["extensions"];
        if (!extensions.is_object()) extensions = Json::object();  // of a damaged file
        extensions[kLevels]["ids"] = ids[n];
        if (!node.contains("extras") || node["extras"].is_object()) node["extras"]["MSFT_screencoverage"] = shares;
    }
    Json& used = collection(document, "extensionsUsed");
    if (std::find(used.begin(), used.end(), kLevels) == used.end()) used.push_back(kLevels);
    dropUnused(document);  // levels that these replace
}

std::vector<bool> levelNodes(const Document& document) {
    std::vector<bool> levels(document.count("nodes"), false);
    for (std::size_t n = 0; n < levels.size(); ++n) {
        const Json& node = document.item("nodes", n).value();
        const auto extensions = node.find("extensions");
        if (extensions == node.end() || !extensions->is_object() || !extensions->contains(kLevels)) continue;
        const Json& link = (*extensions)[kLevels];
        if (!link.is_object() || !link.contains("ids") || !link["ids"].is_array()) continue;
        for (const Json& id : link["ids"])
            if (id.is_number_unsigned() && id.get<std::uint64_t>() < levels.size())
                levels[id.get<std::size_t>()] = true;
    }
    return levels;
}

}  // namespace pelt::io::gltf
