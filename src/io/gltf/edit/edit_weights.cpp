// Writes changed weights and scalar attributes into a document.
#include <algorithm>

#include "edit.h"

namespace pelt::io::gltf {
namespace {

bool sameRows(const SkinWeights& a, const SkinWeights& b, std::size_t first, std::size_t count) {
    if (b.vertexCount() < first + count) return false;
    for (std::size_t v = first; v < first + count; ++v)
        if (!std::ranges::equal(a.jointsOf(v), b.jointsOf(v)) || !std::ranges::equal(a.weightsOf(v), b.weightsOf(v)))
            return false;
    return true;
}

}  // namespace

PayloadPart WeightEditor::payloadPart(const PartSource& part, std::size_t first, std::size_t skin) {
    const DdmPayload& payload = *editing_.character.ddm;
    const GltfSource& source = editing_.source;
    const std::size_t count = part.vertex_count;
    const auto index_of = [&](std::uint32_t slot) { return skins_.indexOf(skin, slot); };
    PayloadPart out;
    out.skin = skin;
    out.space = source.instances[part.instance].placement;
    out.records = encodeRecords(payload.rows, first, count, payload.encoding, index_of);
    if (payload.bind.empty()) return out;
    const std::size_t mesh = source.instances[part.instance].mesh;
    const JsonRef was = source.document.item("meshes", mesh).at("primitives").element(part.primitive);
    // Usually the original bind is a skin that the file already has.
    if (!part.mended_weights && sameRows(payload.bind, source.weights, first, count) &&
        !isCompressed(source.document, was)) {
        for (const auto& [name, accessor] : was.at("attributes").value().items())
            if (isSkinAttribute(name)) out.bind[name] = accessor;
    } else if (source.ddm && sameRows(payload.bind, source.ddm->bind, first, count)) {
        out.bind = findExtension(was, kDirectDeltaMush)->at("bind").value();
    } else {
        out.new_bind = encodeWeights(payload.bind, first, count, index_of);
    }
    return out;
}

bool WeightEditor::findChangedAttributes(const PartSource& part, std::size_t first) {
    const auto range = [&](const VertexAttribute& attribute) {
        return std::span(attribute.values).subspan(first, part.vertex_count);
    };
    const std::vector<VertexAttribute>& loaded = editing_.source.attributes;
    for (const VertexAttribute& now : editing_.character.mesh.attributes) {
        const auto was =
            std::find_if(loaded.begin(), loaded.end(), [&](const VertexAttribute& a) { return a.name == now.name; });
        if (was == loaded.end() || !std::ranges::equal(range(now), range(*was)))
            edits_[part.instance][part.primitive].attributes[now.name] = {range(now).begin(), range(now).end()};
    }
    const auto edit = edits_[part.instance].find(part.primitive);
    return edit != edits_[part.instance].end() && !edit->second.attributes.empty();
}

void WeightEditor::findChanges() {
    const GltfSource& source = editing_.source;
    edits_.resize(source.instances.size());
    const SkinWeights& weights = editing_.character.weights;
    std::size_t first = 0;
    for (std::size_t p = 0; p < source.parts.size(); ++p) {
        const PartSource& part = source.parts[p];
        const std::size_t count = part.vertex_count;
        const InstanceSource& instance = source.instances[part.instance];
        const bool as_read = !part.mended_weights && !(source.lean && part.loose_weights);
        const bool same = weights.empty() || (as_read && sameRows(weights, source.weights, first, count));
        const bool changed = (count > 0 && findChangedAttributes(part, first)) || editing_.moved_parts[p];
        if (count > 0 && editing_.moved_parts[p])
            edits_[part.instance][part.primitive].shape =
                shapeArrays(editing_.character.mesh, first, count, instance.placement);
        if (count > 0 && !weights.empty() && (!same || changed || editing_.new_payload)) {
            const JsonRef was = source.document.item("meshes", instance.mesh).at("primitives").element(part.primitive);
            const std::size_t skin = skins_.skinOf(part.instance);
            PrimitiveEdit& edit = edits_[part.instance][part.primitive];
            // All compressed data is written uncompressed.
            if (!same || isCompressed(source.document, was))
                edit.weights = encodeWeights(weights, first, count,
                                             [&](std::uint32_t slot) { return skins_.indexOf(skin, slot); });
            if (editing_.new_payload) edit.payload = payloadPart(part, first, skin);
        }
        first += count;
    }
}

void WeightEditor::apply(std::size_t source_mesh, std::size_t mesh, const InstanceEdit& edit) {
    // A new top-level array moves all others: the arrays that appending needs must exist before references are taken.
    if (!edit.empty())
        for (const char* name : {"buffers", "bufferViews", "accessors"}) collection(editing_.document, name);
    for (const auto& [index, change] : edit) {
        Json& primitive = editing_.document.json["meshes"][mesh]["primitives"][index];
        unpackPrimitive(editing_, source_mesh, index, primitive);
        if (change.weights) writeWeights(editing_.appender, primitive["attributes"], *change.weights);
        for (const auto& [name, values] : change.attributes)
            primitive["attributes"][name] = editing_.appender.addFloats(values, "SCALAR", ViewTarget::vertices);
        if (change.shape) writeShape(editing_.appender, primitive["attributes"], *change.shape);
        if (change.payload) places_.push_back({mesh, index, &*change.payload});
    }
}

void WeightEditor::edit() {
    findChanges();
    // Nodes may share a mesh. Nodes whose new rows are equal continue to share it; unchanged ones, if any, keep the
    // original, and every other group gets a copy.
    std::map<std::size_t, std::vector<std::size_t>> users;
    for (std::size_t i = 0; i < edits_.size(); ++i) users[editing_.source.instances[i].mesh].push_back(i);
    for (const auto& [mesh, instances] : users) {
        std::vector<std::vector<std::size_t>> groups;
        for (const std::size_t i : instances) {
            const auto same = std::find_if(groups.begin(), groups.end(),
                                           [&](const auto& group) { return edits_[group.front()] == edits_[i]; });
            if (same != groups.end())
                same->push_back(i);
            else
                groups.push_back({i});
        }
        std::stable_partition(groups.begin(), groups.end(),
                              [&](const auto& group) { return edits_[group.front()].empty(); });
        // Copies are made before the original changes.
        std::vector<std::size_t> mesh_of(groups.size(), mesh);
        Json& meshes = editing_.document.json["meshes"];
        for (std::size_t g = 1; g < groups.size(); ++g) {
            mesh_of[g] = meshes.size();
            const Json copy = meshes[mesh];
            meshes.push_back(copy);
        }
        for (std::size_t g = 0; g < groups.size(); ++g) {
            for (const std::size_t i : groups[g])
                if (g > 0) editing_.document.json["nodes"][editing_.instance_node[i]]["mesh"] = mesh_of[g];
            apply(mesh, mesh_of[g], edits_[groups[g].front()]);
        }
    }
}

}  // namespace pelt::io::gltf
