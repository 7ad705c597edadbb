#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "gltf/load.h"

namespace pelt::io::gltf {
namespace {

std::vector<Affine3d> readInverseBinds(Loading& loading, const JsonRef& skin, std::size_t joints) {
    std::vector<Affine3d> out(joints);
    const auto accessor = skin.indexOf("inverseBindMatrices", "accessors", loading.document().count("accessors"));
    if (!accessor) return out;  // glTF 2.0, 5.28: identity
    const std::vector<float> values = loading.reader->floats(*accessor, "MAT4");
    const JsonRef json = loading.document().item("accessors", *accessor);
    if (values.size() < joints * 16)
        json.fail(
            fmt::format("has {} inverse bind matrices for {} joints; re-export the file", values.size() / 16, joints));
    requireFinite(json, values, 16, "inverse bind matrix");
    for (std::size_t j = 0; j < joints; ++j) {
        const float* m = values.data() + j * 16;
        if (std::abs(m[3]) + std::abs(m[7]) + std::abs(m[11]) + std::abs(m[15] - 1) > 1e-3F)
            json.fail(fmt::format("matrix {}: the last row must be 0 0 0 1; re-export the file", j));
        for (std::size_t i = 0; i < 16; ++i) out[j].m[i] = m[i];
        out[j] = Affine3d(out[j].linear(), out[j].translation());
    }
    return out;
}

/// Equal node and equal matrix: one slot, however many skins list it.
class Slots {
public:
    std::uint32_t add(std::vector<std::size_t>& joint_nodes, std::vector<Joint>& joints, std::size_t node,
                      const Affine3d& inverse_bind) {
        for (auto [it, last] = known_.equal_range(node); it != last; ++it)
            if (std::memcmp(joints[it->second].inverse_bind.m, inverse_bind.m, sizeof inverse_bind.m) == 0)
                return it->second;
        const auto slot = static_cast<std::uint32_t>(joints.size());
        joints.push_back({0, inverse_bind});
        joint_nodes.push_back(node);
        known_.emplace(node, slot);
        return slot;
    }

private:
    std::multimap<std::size_t, std::uint32_t> known_;
};

std::vector<std::size_t> skinsInUse(const Loading& loading) {
    std::vector<std::size_t> skins;
    for (const InstanceSource& instance : loading.source->instances)
        if (instance.skin && std::find(skins.begin(), skins.end(), *instance.skin) == skins.end())
            skins.push_back(*instance.skin);
    if (skins.empty())
        for (std::size_t s = 0; s < loading.document().count("skins"); ++s) skins.push_back(s);
    return skins;
}

/// Per skin, its body: skins that share a joint slot hang on one skeleton in the same way.
std::vector<std::uint32_t> bodiesOfSkins(const std::vector<std::vector<std::uint32_t>>& skin_slots, std::size_t slots) {
    std::vector<std::uint32_t> leader(skin_slots.size()), first_skin(slots, ~0u);
    std::iota(leader.begin(), leader.end(), 0u);
    const auto find = [&](std::uint32_t s) {
        while (leader[s] != s) s = leader[s] = leader[leader[s]];
        return s;
    };
    for (std::uint32_t s = 0; s < skin_slots.size(); ++s)
        for (const std::uint32_t slot : skin_slots[s]) {
            if (first_skin[slot] == ~0u) first_skin[slot] = s;
            const auto [low, high] = std::minmax({find(first_skin[slot]), find(s)});
            leader[high] = low;
        }
    for (std::uint32_t s = 0; s < leader.size(); ++s) leader[s] = find(s);
    return leader;
}

}  // namespace

void findInstances(Loading& loading) {
    const Document& document = loading.document();
    std::vector<InstanceSource>& instances = loading.source->instances;
    std::vector<InstanceSource> plain;
    for (std::size_t n = 0; n < document.count("nodes"); ++n) {
        const JsonRef node = document.item("nodes", n);
        const auto mesh = node.indexOf("mesh", "meshes", document.count("meshes"));
        const auto skin = node.indexOf("skin", "skins", document.count("skins"));
        if (mesh) (skin ? instances : plain).push_back({n, *mesh, skin, {}});
    }
    if (!instances.empty()) return;
    for (InstanceSource& instance : plain) instance.placement = restWorld(document, loading.tree, instance.node);
    instances = std::move(plain);
    if (instances.empty()) document.root().fail("no node shows a mesh; choose a file with a character");
}

void loadSkeleton(Loading& loading) {
    const Document& document = loading.document();
    GltfSource& source = *loading.source;
    Skeleton& skeleton = loading.character.skeleton;
    source.skin_slots.resize(document.count("skins"));
    std::vector<std::size_t> joint_nodes;
    Slots slots;
    for (const std::size_t s : skinsInUse(loading)) {
        const JsonRef skin = document.item("skins", s);
        const JsonRef joints = skin.at("joints");
        if (joints.size() == 0) joints.fail("a skin needs a joint; re-export the file");
        const std::vector<Affine3d> inverse_binds = readInverseBinds(loading, skin, joints.size());
        for (std::size_t j = 0; j < joints.size(); ++j)
            source.skin_slots[s].push_back(slots.add(joint_nodes, skeleton.joints,
                                                     joints.element(j).asIndex("nodes", document.count("nodes")),
                                                     inverse_binds[j]));
    }
    source.skin_bodies = bodiesOfSkins(source.skin_slots, skeleton.joints.size());
    std::vector<bool> wanted(document.count("nodes"), false);
    for (std::size_t node : joint_nodes)
        for (; node != kNoNode && !wanted[node]; node = loading.tree.parent[node]) wanted[node] = true;
    std::vector<std::uint32_t> index(wanted.size(), 0);
    for (const std::size_t node : loading.tree.order) {
        if (!wanted[node]) continue;
        index[node] = static_cast<std::uint32_t>(skeleton.nodes.size());
        SkeletonNode made = readNode(document, node);
        const std::size_t parent = loading.tree.parent[node];
        made.parent = parent == kNoNode ? -1 : static_cast<std::int32_t>(index[parent]);
        skeleton.nodes.push_back(std::move(made));
        source.node_of.push_back(node);
    }
    for (std::size_t j = 0; j < joint_nodes.size(); ++j) skeleton.joints[j].node = index[joint_nodes[j]];
}

}  // namespace pelt::io::gltf
