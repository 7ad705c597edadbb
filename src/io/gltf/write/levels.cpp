#include "gltf/levels.h"

#include "gltf/ddm_payload.h"
#include "gltf/edit.h"

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

}  // namespace

void addLevels(Document& document, std::span<const Document> levels, std::span<const double> coverage) {
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
        node["extensions"][kLevels]["ids"] = ids[n];
        if (!node.contains("extras") || node["extras"].is_object()) node["extras"]["MSFT_screencoverage"] = shares;
    }
    collection(document, "extensionsUsed").push_back(kLevels);
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
