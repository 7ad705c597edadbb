// A document with its meshes alone.
#include "without_rig.h"

#include "io/gltf/document/node_tree.h"
#include "io/gltf/payload/ddm_payload.h"
#include "io/gltf/write/write_parts.h"

namespace pelt::io::gltf {
namespace {

void dropSkinAttributes(Json& attributes) {
    for (auto it = attributes.begin(); it != attributes.end();)
        it = isSkinAttribute(it.key()) ? attributes.erase(it) : std::next(it);
}

void dropSkins(Document& document) {
    for (Json& mesh : document.json["meshes"])
        for (Json& primitive : mesh["primitives"]) {
            dropSkinAttributes(primitive["attributes"]);
            if (primitive.contains("extensions") && primitive["extensions"].contains(kDraco))
                dropSkinAttributes(primitive["extensions"][kDraco]["attributes"]);
        }
    for (const char* key : {"skins", "animations"}) document.json.erase(key);
}

/// Extensions at the top of the document that describe its nodes: humanoids, constraints, looks.
void dropNodeExtensions(Document& document) {
    std::vector<std::string> names;
    if (document.json.contains("extensions"))
        for (const auto& [name, value] : document.json["extensions"].items())
            if (name.starts_with("VRM") || name.starts_with("PELT")) names.push_back(name);
    for (const std::string& name : names) {
        eraseExtension(document.json, name.c_str());
        dropExtension(document, name.c_str());
    }
}

}  // namespace

Document withoutRig(const GltfSource& source) {
    Document document = source.document;
    dropPayload(document);
    dropSkins(document);
    dropNodeExtensions(document);
    const NodeTree tree = readNodeTree(source.document);
    Json nodes = Json::array(), roots = Json::array();
    const auto add = [&](const InstanceSource& instance, const Affine3d& placement) {
        const Json& was = source.document.json["nodes"][instance.node];
        Json node = {{"mesh", instance.mesh}};
        for (const char* key : {"name", "weights"})
            if (was.contains(key)) node[key] = was[key];
        SkeletonNode place;
        place.matrix = placement;
        writeTransform(node, place, false);
        roots.push_back(nodes.size());
        nodes.push_back(std::move(node));
    };
    for (const InstanceSource& instance : source.instances) add(instance, instance.placement);
    for (const InstanceSource& prop : source.props) add(prop, restWorld(source.document, tree, prop.node));
    document.json["nodes"] = std::move(nodes);
    document.json["scenes"] = Json::array({{{"nodes", std::move(roots)}}});
    document.json["scene"] = 0;
    return document;
}

}  // namespace pelt::io::gltf
