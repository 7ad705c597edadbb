// Saves a loaded character by editing its document where it differs.
#include "edit.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>

#include "io/gltf/payload/driven_joints.h"
#include "io/gltf/write/write_new.h"

namespace pelt::io::gltf {
namespace {

[[noreturn]] void refuse(const GltfSource& source, const std::string& fault) {
    throw Error::badUsage({source.document.name},
                          fmt::format("{}; clear Character::source to write a new document", fault));
}

void checkSameOrigin(const Character& character, const GltfSource& source) {
    if (hashFaces(character.mesh) != source.faces_hash)
        refuse(source, "the faces of the mesh are not those that were loaded");
    const Skeleton &now = character.skeleton, &was = source.skeleton;
    if (now.nodes.size() < was.nodes.size()) refuse(source, "nodes that were loaded are missing");
    for (std::size_t n = 0; n < was.nodes.size(); ++n)
        if (now.nodes[n].parent != was.nodes[n].parent) refuse(source, fmt::format("node {} has another parent", n));
    if (character.weights.empty() && !source.weights.empty())
        refuse(source, "the weights that were loaded are missing");
}

bool samePayload(const std::shared_ptr<const DdmPayload>& a, const std::shared_ptr<const DdmPayload>& b) {
    return a == b || (a && b && *a == *b);
}

bool sameTransform(const SkeletonNode& a, const SkeletonNode& b) { return rig::restLocal(a) == rig::restLocal(b); }

/// Adds a root node to the scenes that show the character already.
void addToScenes(Editing& editing, std::size_t node) {
    if (!editing.document.json.contains("scenes")) return;
    std::vector<std::size_t> roots;
    const NodeTree tree = readNodeTree(editing.source.document);
    const auto add_root = [&](std::size_t from) {
        while (tree.parent[from] != kNoNode) from = tree.parent[from];
        roots.push_back(from);
    };
    for (const std::size_t from : editing.source.node_of) add_root(from);
    for (const InstanceSource& instance : editing.source.instances) add_root(instance.node);
    for (Json& scene : editing.document.json["scenes"]) {
        const auto listed = scene.find("nodes");
        if (listed == scene.end()) continue;
        const bool shown = std::any_of(listed->begin(), listed->end(), [&](const Json& root) {
            return std::find(roots.begin(), roots.end(), root.get<std::size_t>()) != roots.end();
        });
        if (shown) listed->push_back(node);
    }
}

/// Fills Editing::moved_parts; returns whether there are any.
bool findMovedParts(Editing& editing) {
    std::size_t first = 0;
    bool any = false;
    for (std::size_t p = 0; p < editing.source.parts.size(); ++p) {
        const std::size_t count = editing.source.parts[p].vertex_count;
        editing.moved_parts.push_back(editing.source.parts[p].mended_shape ||
                                      hashShape(editing.character.mesh, first, count) !=
                                          editing.source.shape_hashes[p]);
        any |= editing.moved_parts.back();
        first += count;
    }
    return any;
}

Document editAll(const Character& character, const GltfSource& source) {
    Editing editing(character, source);
    const bool moved = findMovedParts(editing);
    editing.new_payload = character.ddm && !samePayload(character.ddm, source.ddm);
    if (moved && character.ddm && !editing.new_payload)
        refuse(source, "vertices were moved after the Direct Delta Mush payload was made");
    if (!character.ddm || editing.new_payload) dropPayload(editing.document);
    editNodes(editing);
    SkinEditor skins(editing);
    WeightEditor weights(editing, skins);
    weights.edit();
    skins.finish();
    editClips(editing);
    writeDrivenJoints(editing.document, character.driven, editing.node_of);
    if (editing.new_payload)
        writePayload(editing.document, editing.appender, *character.ddm, weights.payload());
    else if (character.ddm)
        stampPayload(editing.document);
    dropUnusedCompression(editing.document);
    if (source.isMended()) clearNotFinite(editing.document);
    if (source.lean) dropUnused(editing.document);
    return std::move(editing.document);
}

}  // namespace

Editing::Editing(const Character& character_, const GltfSource& source_)
    : character(character_),
      source(source_),
      document(source_.document),
      appender(document),
      reader(source_.document),
      node_of(source_.node_of) {
    for (const auto* list : {&source.instances, &source.props})
        for (const InstanceSource& instance : *list) instance_node.push_back(instance.node);
}

void editNodes(Editing& editing) {
    const std::vector<SkeletonNode>&now = editing.character.skeleton.nodes, &was = editing.source.skeleton.nodes;
    for (std::size_t n = 0; n < was.size(); ++n) {
        Json& node = editing.document.json["nodes"][editing.node_of[n]];
        if (!sameTransform(now[n], was[n])) writeTransform(node, now[n], !now[n].matrix);
        if (now[n].name != was[n].name) node["name"] = now[n].name;
    }
    for (std::size_t n = was.size(); n < now.size(); ++n) {
        Json& nodes = collection(editing.document, "nodes");
        const std::size_t index = nodes.size();
        Json node = Json::object();
        if (!now[n].name.empty()) node["name"] = now[n].name;
        writeTransform(node, now[n], false);
        nodes.push_back(std::move(node));
        editing.node_of.push_back(index);
        if (now[n].parent >= 0)
            nodes[editing.node_of[static_cast<std::size_t>(now[n].parent)]]["children"].push_back(index);
        else
            addToScenes(editing, index);
    }
}

Document editedDocument(const Character& character, const GltfSource& source) try {
    checkCharacter(character);
    checkSameOrigin(character, source);
    const std::vector<std::int32_t> slots = findLoadedJoints(character.skeleton, source.skeleton);
    if (std::find(slots.begin(), slots.end(), -1) == slots.end()) return editAll(character, source);
    return editAll(character, withoutJoints(source, slots));
} catch (const Json::exception&) {
    // Parts of the JSON that loading ignores, such as scenes, may contain anything.
    throw Error::badInput({source.document.name},
                          "the JSON violates the glTF 2.0 schema and cannot be edited; re-export the file");
}

}  // namespace pelt::io::gltf
