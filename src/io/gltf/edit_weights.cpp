#include <algorithm>

#include "gltf/edit.h"

namespace pelt::io::gltf {
namespace {

/// New rows by primitive; empty: the instance is as it was.
using InstanceEdit = std::map<std::size_t, WeightSets>;

bool sameRows(const SkinWeights& a, const SkinWeights& b, std::size_t first, std::size_t count) {
    if (b.vertexCount() < first + count) return false;
    for (std::size_t v = first; v < first + count; ++v)
        if (!std::ranges::equal(a.jointsOf(v), b.jointsOf(v)) || !std::ranges::equal(a.weightsOf(v), b.weightsOf(v)))
            return false;
    return true;
}

std::vector<InstanceEdit> changedInstances(Editing& editing, SkinEditor& skins) {
    std::vector<InstanceEdit> edits(editing.source.instances.size());
    const SkinWeights& weights = editing.character.weights;
    if (weights.empty()) return edits;
    std::size_t first = 0;
    for (std::size_t p = 0; p < editing.source.parts.size(); ++p) {
        const std::size_t count = editing.source.parts[p].vertex_count;
        const PartSource& part = editing.source.parts[p];
        if (count > 0 && !sameRows(weights, editing.source.weights, first, count)) {
            const std::size_t skin = skins.skinOf(part.instance);
            edits[part.instance][part.primitive] =
                encodeWeights(weights, first, count, [&](std::uint32_t slot) { return skins.indexOf(skin, slot); });
        }
        first += count;
    }
    return edits;
}

void applyEdit(Editing& editing, std::size_t source_mesh, std::size_t mesh, const InstanceEdit& edit) {
    for (const auto& [index, sets] : edit) {
        Json& primitive = editing.document.json["meshes"][mesh]["primitives"][index];
        unpackPrimitive(editing, source_mesh, index, primitive);
        writeWeights(editing.appender, primitive["attributes"], sets);
    }
}

}  // namespace

void editWeights(Editing& editing, SkinEditor& skins) {
    const std::vector<InstanceEdit> edits = changedInstances(editing, skins);
    // Nodes may share a mesh. Those whose new rows are equal go on sharing it; the unchanged ones, if any, keep the
    // original, and every other group gets a copy.
    std::map<std::size_t, std::vector<std::size_t>> users;
    for (std::size_t i = 0; i < edits.size(); ++i) users[editing.source.instances[i].mesh].push_back(i);
    for (const auto& [mesh, instances] : users) {
        std::vector<std::vector<std::size_t>> groups;
        for (const std::size_t i : instances) {
            const auto same = std::find_if(groups.begin(), groups.end(),
                                           [&](const auto& group) { return edits[group.front()] == edits[i]; });
            if (same != groups.end())
                same->push_back(i);
            else
                groups.push_back({i});
        }
        std::stable_partition(groups.begin(), groups.end(),
                              [&](const auto& group) { return edits[group.front()].empty(); });
        // Copies are made before the original changes.
        std::vector<std::size_t> mesh_of(groups.size(), mesh);
        Json& meshes = editing.document.json["meshes"];
        for (std::size_t g = 1; g < groups.size(); ++g) {
            mesh_of[g] = meshes.size();
            const Json copy = meshes[mesh];
            meshes.push_back(copy);
        }
        for (std::size_t g = 0; g < groups.size(); ++g) {
            for (const std::size_t i : groups[g])
                if (g > 0) editing.document.json["nodes"][editing.instance_node[i]]["mesh"] = mesh_of[g];
            applyEdit(editing, mesh, mesh_of[g], edits[groups[g].front()]);
        }
    }
}

}  // namespace pelt::io::gltf
