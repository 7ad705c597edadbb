// The hierarchy of the nodes of a document.
#include "node_tree.h"

#include <fmt/format.h>
#include <pelt/rig/skeleton.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pelt::io::gltf {
namespace {

template <std::size_t N>
std::optional<std::array<double, N>> readNumbers(const JsonRef& node, const char* key) {
    const auto array = node.find(key);
    if (!array) return std::nullopt;
    if (array->size() != N) array->fail(fmt::format("must have {} numbers; re-export the file", N));
    std::array<double, N> out{};
    for (std::size_t i = 0; i < N; ++i) out[i] = array->element(i).asFinite();
    return out;
}

}  // namespace

std::size_t mendParents(Document& document) {
    const auto nodes = document.json.find("nodes");
    if (nodes == document.json.end()) return 0;
    std::vector<bool> taken(nodes->size(), false);
    std::size_t mended = 0;
    for (std::size_t n = nodes->size(); n-- > 0;) {
        const auto children = (*nodes)[n].find("children");
        if (children == (*nodes)[n].end() || !children->is_array()) continue;
        Json kept = Json::array();
        for (const Json& child : *children) {
            const bool known = child.is_number_unsigned() && child.get<std::uint64_t>() < taken.size();
            if (known && taken[child.get<std::size_t>()]) continue;
            if (known) taken[child.get<std::size_t>()] = true;
            kept.push_back(child);
        }
        if (kept.size() == children->size()) continue;
        mended += children->size() - kept.size();
        *children = std::move(kept);
        if (children->empty()) (*nodes)[n].erase("children");
    }
    return mended;
}

NodeTree readNodeTree(const Document& document) {
    const std::size_t count = document.count("nodes");
    NodeTree tree;
    tree.parent.assign(count, kNoNode);
    std::vector<std::vector<std::size_t>> children(count);
    for (std::size_t n = 0; n < count; ++n) {
        const auto listed = document.item("nodes", n).find("children");
        for (std::size_t i = 0; listed && i < listed->size(); ++i) {
            const std::size_t child = listed->element(i).asIndex("nodes", count);
            if (tree.parent[child] != kNoNode)
                document.item("nodes", child)
                    .fail(fmt::format("is a child of nodes[{}] and of nodes[{}]; re-export the file",
                                      tree.parent[child], n));
            tree.parent[child] = n;
            children[n].push_back(child);
        }
    }
    std::vector<std::size_t> open;
    for (std::size_t n = count; n-- > 0;)
        if (tree.parent[n] == kNoNode) open.push_back(n);
    while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        tree.order.push_back(node);
        open.insert(open.end(), children[node].rbegin(), children[node].rend());
    }
    if (tree.order.size() != count) {
        std::vector<bool> reached(count, false);
        for (const std::size_t node : tree.order) reached[node] = true;
        const auto lost = std::find(reached.begin(), reached.end(), false) - reached.begin();
        document.item("nodes", static_cast<std::size_t>(lost))
            .fail("is its own ancestor: the node tree has a cycle; re-export the file");
    }
    return tree;
}

std::vector<bool> shownNodes(const Document& document, const NodeTree& tree) {
    const auto scenes = document.json.find("scenes");
    if (scenes == document.json.end() || scenes->empty()) return std::vector<bool>(tree.parent.size(), true);
    const auto chosen = document.json.find("scene");
    const bool named =
        chosen != document.json.end() && chosen->is_number_unsigned() && chosen->get<std::uint64_t>() < scenes->size();
    const Json& scene = (*scenes)[named ? chosen->get<std::size_t>() : 0];
    std::vector<bool> shown(tree.parent.size(), false);
    if (const auto roots = scene.find("nodes"); roots != scene.end() && roots->is_array())
        for (const Json& root : *roots)
            if (root.is_number_unsigned() && root.get<std::uint64_t>() < shown.size())
                shown[root.get<std::size_t>()] = true;
    for (const std::size_t node : tree.order)
        if (tree.parent[node] != kNoNode && shown[tree.parent[node]]) shown[node] = true;
    return shown;
}

SkeletonNode readNode(const Document& document, std::size_t node) {
    const JsonRef json = document.item("nodes", node);
    SkeletonNode out;
    out.name = json.stringOr("name", "");
    if (out.name.empty()) out.name = fmt::format("node_{}", node);
    if (const auto m = readNumbers<16>(json, "matrix")) {
        Affine3d matrix;
        std::copy(m->begin(), m->end(), matrix.m);
        matrix = Affine3d(matrix.linear(), matrix.translation());
        out.matrix = matrix;
        out.local = rig::trsOf(matrix);
        return out;
    }
    if (const auto t = readNumbers<3>(json, "translation")) out.local.translation = {(*t)[0], (*t)[1], (*t)[2]};
    if (const auto r = readNumbers<4>(json, "rotation"))
        out.local.rotation = normalized(Quatd{(*r)[0], (*r)[1], (*r)[2], (*r)[3]});
    if (const auto s = readNumbers<3>(json, "scale")) out.local.scale = {(*s)[0], (*s)[1], (*s)[2]};
    return out;
}

Affine3d restWorld(const Document& document, const NodeTree& tree, std::size_t node) {
    Affine3d world = rig::restLocal(readNode(document, node));
    for (std::size_t above = tree.parent[node]; above != kNoNode; above = tree.parent[above])
        world = rig::restLocal(readNode(document, above)) * world;
    return world;
}

}  // namespace pelt::io::gltf
