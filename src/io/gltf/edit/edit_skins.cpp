// Adds and removes joints of the skins of a document.
#include <algorithm>
#include <cstring>

#include "edit.h"

namespace pelt::io::gltf {
namespace {

bool hasTransform(const Json& node) {
    return node.contains("matrix") || node.contains("translation") || node.contains("rotation") ||
           node.contains("scale");
}

/// The `skeleton` of a skin must be an ancestor of all its joints. It is only a hint, so it is removed if it no longer
/// is.
void dropWrongSkeleton(Document& document, Json& skin) {
    if (!skin.contains("skeleton")) return;
    const NodeTree tree = readNodeTree(document);
    const std::size_t top = skin["skeleton"].get<std::size_t>();
    for (const Json& joint : skin["joints"]) {
        std::size_t node = joint.get<std::size_t>();
        while (node != top && node != kNoNode) node = tree.parent[node];
        if (node == top) continue;
        skin.erase("skeleton");
        return;
    }
}

}  // namespace

SkinEditor::SkinEditor(Editing& editing) : editing_(editing), skins_(editing.source.skin_slots.size()) {
    const std::vector<Joint>&now = editing.character.skeleton.joints, &was = editing.source.skeleton.joints;
    for (std::size_t s = 0; s < skins_.size(); ++s) {
        skins_[s].slots = editing.source.skin_slots[s];
        skins_[s].changed = editing.source.mended_skins[s];
        for (std::size_t i = 0; i < skins_[s].slots.size(); ++i) {
            const std::uint32_t slot = skins_[s].slots[i];
            skins_[s].index.emplace(slot, i);
            skins_[s].changed |= now[slot].inverse_bind != was[slot].inverse_bind;
        }
    }
    for (const InstanceSource& instance : editing.source.instances)
        if (instance.skin) skins_[*instance.skin].placement = instance.placement;
}

std::size_t SkinEditor::skinOf(std::size_t instance) {
    const InstanceSource& from = editing_.source.instances[instance];
    if (from.skin) return *from.skin;
    for (std::size_t s = 0; s < skins_.size(); ++s)
        if (!skins_[s].slots.empty() && skins_[s].placement == from.placement) {
            bindNode(instance, s);
            return s;
        }
    const std::size_t skin = makeSkin(from.placement);
    bindNode(instance, skin);
    return skin;
}

std::size_t SkinEditor::makeSkin(const Affine3d& placement) {
    collection(editing_.document, "skins").push_back({{"joints", Json::array()}});
    skins_.emplace_back();
    skins_.back().placement = placement;
    const std::size_t skin = skins_.size() - 1;
    for (std::uint32_t slot = 0; slot < editing_.character.skeleton.joints.size(); ++slot) indexOf(skin, slot);
    return skin;
}

void SkinEditor::bindNode(std::size_t instance, std::size_t skin) {
    Json& nodes = editing_.document.json["nodes"];
    const std::size_t old_node = editing_.instance_node[instance];
    if (nodes[old_node].contains("skin")) return;
    NodeTree tree = readNodeTree(editing_.document);
    if (tree.parent[old_node] == kNoNode && !hasTransform(nodes[old_node])) {
        nodes[old_node]["skin"] = skin;
        return;
    }
    // Transforms above a skinned mesh are ignored, and viewers warn about them: the mesh moves to a root node.
    const std::size_t new_node = nodes.size();
    Json moved = Json::object();
    for (const char* key : {"name", "mesh", "weights"})
        if (nodes[old_node].contains(key)) moved[key] = nodes[old_node][key];
    moved["skin"] = skin;
    nodes[old_node].erase("mesh");
    nodes[old_node].erase("weights");
    nodes.push_back(std::move(moved));
    std::size_t root = old_node;
    while (tree.parent[root] != kNoNode) root = tree.parent[root];
    if (editing_.document.json.contains("scenes"))
        for (Json& scene : editing_.document.json["scenes"])
            if (const auto listed = scene.find("nodes"); listed != scene.end())
                if (std::find(listed->begin(), listed->end(), Json(root)) != listed->end()) listed->push_back(new_node);
    if (editing_.document.json.contains("animations"))
        for (Json& animation : editing_.document.json["animations"])
            for (std::size_t c = 0; animation.contains("channels") && c < animation["channels"].size(); ++c)
                if (Json& channel = animation["channels"][c];
                    channel["target"].value("node", kNoNode) == old_node && channel["target"]["path"] == "weights")
                    channel["target"]["node"] = new_node;
    editing_.instance_node[instance] = new_node;
}

std::size_t SkinEditor::indexOf(std::size_t skin, std::uint32_t slot) {
    Skin& to = skins_[skin];
    const auto [found, is_new] = to.index.try_emplace(slot, to.slots.size());
    if (!is_new) return found->second;
    std::size_t node = editing_.node_of[editing_.character.skeleton.joints[slot].node];
    Json& joints = editing_.document.json["skins"][skin]["joints"];
    if (std::find(joints.begin(), joints.end(), Json(node)) != joints.end())
        node = addTwinNode(editing_.document, node);
    joints.push_back(node);
    to.slots.push_back(slot);
    to.changed = true;
    return found->second;
}

void SkinEditor::write(std::size_t skin) {
    const std::vector<Joint>&now = editing_.character.skeleton.joints, &was = editing_.source.skeleton.joints;
    const std::vector<std::uint32_t>& slots = skins_[skin].slots;
    std::vector<Affine3d> matrices;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const Affine3d& inverse_bind = now[slots[i]].inverse_bind;
        // Unchanged data is written bit by bit as it was read.
        const bool read = skin < editing_.source.inverse_binds.size() && i < editing_.source.inverse_binds[skin].size();
        const bool same = read && inverse_bind == was[slots[i]].inverse_bind;
        matrices.push_back(same ? editing_.source.inverse_binds[skin][i] : inverse_bind * skins_[skin].placement);
    }
    editing_.document.json["skins"][skin]["inverseBindMatrices"] = editing_.appender.addMatrices(matrices);
    ensureCommonRoot(editing_.document, skin);
    dropWrongSkeleton(editing_.document, editing_.document.json["skins"][skin]);
}

void SkinEditor::finish() {
    const auto read = std::find_if(skins_.begin(), skins_.end(), [](const Skin& skin) { return !skin.slots.empty(); });
    if (read != skins_.end()) {
        const auto first = static_cast<std::size_t>(read - skins_.begin());
        const std::size_t loaded = editing_.source.skeleton.joints.size();
        for (std::size_t slot = loaded; slot < editing_.character.skeleton.joints.size(); ++slot) {
            const auto number = static_cast<std::uint32_t>(slot);
            const bool known = std::any_of(skins_.begin(), skins_.end(),
                                           [&](const Skin& skin) { return skin.index.contains(number); });
            if (!known) indexOf(first, number);
        }
    }
    for (std::size_t s = 0; s < skins_.size(); ++s) {
        // A skin needs a joint, even one whose joints were all removed because it carries no vertex.
        if (skins_[s].changed && skins_[s].slots.empty()) indexOf(s, 0);
        if (skins_[s].changed) write(s);
    }
}

}  // namespace pelt::io::gltf
