// Makes a glTF document for a character that has none.
#include "write_new.h"

#include <fmt/format.h>
#include <pelt/rig/props.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "io/gltf/payload/ddm_payload.h"
#include "io/gltf/payload/driven_joints.h"
#include "write_parts.h"

namespace pelt::io::gltf {
namespace {

/// The parts of the mesh if they cover it as documented; otherwise a single part.
std::vector<MeshPart> usableParts(const Mesh& mesh) {
    std::size_t vertices = 0, triangles = 0;
    bool good = !mesh.parts.empty();
    for (const MeshPart& part : mesh.parts) {
        good = good && part.first_vertex == vertices && part.first_triangle == triangles;
        vertices += part.vertex_count;
        triangles += part.triangle_count;
        if (!good || vertices > mesh.positions.size() || triangles > mesh.triangles.size()) break;
        for (std::size_t t = part.first_triangle; t < triangles; ++t)
            for (const std::uint32_t v : mesh.triangles[t]) good = good && v >= part.first_vertex && v < vertices;
    }
    if (good && vertices == mesh.positions.size() && triangles == mesh.triangles.size()) return mesh.parts;
    MeshPart whole;
    whole.name = mesh.parts.empty() ? "mesh" : mesh.parts.front().name;
    whole.material = mesh.parts.empty() ? "" : mesh.parts.front().material;
    whole.vertex_count = static_cast<std::uint32_t>(mesh.positions.size());
    whole.triangle_count = static_cast<std::uint32_t>(mesh.triangles.size());
    return {whole};
}

constexpr std::array kArrays = {"scenes",    "nodes",     "meshes",      "skins",  "animations",
                                "materials", "accessors", "bufferViews", "buffers"};

class NewDocument {
public:
    explicit NewDocument(const Character& character) : character_(character), appender_(document_) {
        document_.name = "character";
        document_.json = {{"asset", {{"version", "2.0"}, {"generator", "Pelt"}}}, {"scene", 0}};
        for (const char* key : kArrays) document_.json[key] = Json::array();
    }

    Document make() {
        addNodes();
        addSkin();
        for (const MeshPart& part : usableParts(character_.mesh)) addPart(part);
        addMeshNodes();
        addProps();
        for (const Clip& clip : character_.clips) addClip(clip);
        if (!document_.json["skins"].empty()) ensureCommonRoot(document_, 0);
        if (character_.ddm) addPayload();
        addDrivenJoints();
        for (const char* key : kArrays)
            if (document_.json[key].empty()) document_.json.erase(key);
        if (!document_.json.contains("scenes")) document_.json.erase("scene");
        return std::move(document_);
    }

private:
    void addNodes();
    void addSkin();
    void addPart(const MeshPart& part);
    void addMorphs(const MeshPart& part, Json& primitive);
    void addMeshNodes();
    /// Adds name, morph names and weights to a mesh whose primitives exist; returns its index.
    std::size_t finishMesh(std::uint32_t instance, Json& mesh);
    void addProps();
    void addClip(const Clip& clip);
    void addPayload();
    void addDrivenJoints();
    Json vertexAttributes(const MeshPart& part);
    std::size_t material(const std::string& name);

    const Character& character_;
    const Mesh* mesh_ = &character_.mesh;  ///< source of the parts: the skin, then the props
    Document document_;
    Appender appender_;
    std::map<std::string, std::size_t> materials_;
    std::map<std::uint32_t, Json> meshes_;                ///< by instance
    std::map<std::uint32_t, std::size_t> instance_node_;  ///< by instance
    std::vector<MeshPart> written_;                       ///< the parts that became primitives
};

void NewDocument::addNodes() {
    // A node that a clip moves must be given by translation, rotation and scale (glTF 2.0, 3.5.3).
    std::set<std::uint32_t> moved;
    for (const Clip& clip : character_.clips)
        for (const Channel& channel : clip.channels)
            if (channel.path != ChannelPath::morph_weights) moved.insert(channel.target);
    Json& nodes = document_.json["nodes"];
    for (const SkeletonNode& from : character_.skeleton.nodes) {
        Json node = Json::object();
        if (!from.name.empty()) node["name"] = from.name;
        writeTransform(node, from, moved.contains(static_cast<std::uint32_t>(nodes.size())));
        if (from.parent >= 0) nodes[static_cast<std::size_t>(from.parent)]["children"].push_back(nodes.size());
        nodes.push_back(std::move(node));
    }
    Json roots = Json::array();
    for (std::size_t n = 0; n < character_.skeleton.nodes.size(); ++n)
        if (character_.skeleton.nodes[n].parent < 0) roots.push_back(n);
    document_.json["scenes"].push_back({{"nodes", std::move(roots)}});
}

void NewDocument::addSkin() {
    const std::vector<Joint>& joints = character_.skeleton.joints;
    if (joints.empty()) return;
    std::vector<Affine3d> inverse_binds;
    Json listed = Json::array();
    std::set<std::size_t> seen;
    for (const Joint& joint : joints) {
        inverse_binds.push_back(joint.inverse_bind);
        listed.push_back(seen.insert(joint.node).second ? std::size_t(joint.node) : addTwinNode(document_, joint.node));
    }
    document_.json["skins"].push_back(
        {{"inverseBindMatrices", appender_.addMatrices(inverse_binds)}, {"joints", std::move(listed)}});
}

Json NewDocument::vertexAttributes(const MeshPart& part) {
    const Mesh& mesh = *mesh_;
    const std::size_t first = part.first_vertex, last = first + part.vertex_count;
    std::vector<float> flat;
    const auto add = [&](const char* type, bool bounds) {
        const std::size_t accessor = appender_.addFloats(flat, type, ViewTarget::vertices, bounds);
        flat.clear();
        return accessor;
    };
    Json attributes = Json::object();
    for (std::size_t v = first; v < last; ++v)
        flat.insert(flat.end(), {mesh.positions[v].x, mesh.positions[v].y, mesh.positions[v].z});
    attributes["POSITION"] = add("VEC3", true);
    for (std::size_t v = first; v < last && !mesh.normals.empty(); ++v) {
        const Vec3f n = normalized(mesh.normals[v], Vec3f{0, 0, 1});
        flat.insert(flat.end(), {n.x, n.y, n.z});
    }
    if (!mesh.normals.empty()) attributes["NORMAL"] = add("VEC3", false);
    const bool tangents = !mesh.normals.empty() && !mesh.tangents.empty();
    for (std::size_t v = first; v < last && tangents; ++v) {
        const Vec4f& from = mesh.tangents[v];
        const Vec3f t = normalized(Vec3f{from.x, from.y, from.z}, Vec3f{1, 0, 0});
        flat.insert(flat.end(), {t.x, t.y, t.z, from.w < 0 ? -1.0F : 1.0F});
    }
    if (tangents) attributes["TANGENT"] = add("VEC4", false);
    for (std::size_t v = first; v < last && !mesh.uvs.empty(); ++v)
        flat.insert(flat.end(), {mesh.uvs[v].x, mesh.uvs[v].y});
    if (!mesh.uvs.empty()) attributes["TEXCOORD_0"] = add("VEC2", false);
    for (const VertexAttribute& attribute : mesh.attributes) {
        flat.assign(attribute.values.begin() + static_cast<std::ptrdiff_t>(first),
                    attribute.values.begin() + static_cast<std::ptrdiff_t>(last));
        attributes[attribute.name.starts_with('_') ? attribute.name : "_" + attribute.name] = add("SCALAR", false);
    }
    if (!character_.weights.empty() && mesh_ == &character_.mesh)
        writeWeights(
            appender_, attributes,
            encodeWeights(character_.weights, first, part.vertex_count, [](std::uint32_t slot) { return slot; }));
    return attributes;
}

std::size_t NewDocument::material(const std::string& name) {
    const auto [found, is_new] = materials_.try_emplace(name, materials_.size());
    if (!is_new) return found->second;
    Json made = Json::object();
    if (!name.empty()) made["name"] = name;
    made["pbrMetallicRoughness"] = {
        {"baseColorFactor", {0.72, 0.56, 0.46, 1.0}}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.65}};
    document_.json["materials"].push_back(std::move(made));
    return found->second;
}

void NewDocument::addPart(const MeshPart& part) {
    if (part.vertex_count == 0) return;  // glTF has no empty accessors
    Json primitive = {{"attributes", vertexAttributes(part)}};
    if (part.triangle_count > 0) {
        std::vector<std::uint32_t> indices;
        indices.reserve(std::size_t(part.triangle_count) * 3);
        for (std::size_t t = part.first_triangle; t < part.first_triangle + part.triangle_count; ++t)
            for (const std::uint32_t v : mesh_->triangles[t]) indices.push_back(v - part.first_vertex);
        primitive["indices"] = appender_.addIndices(indices, part.vertex_count);
    } else {
        primitive["mode"] = 0;  // points
    }
    primitive["material"] = material(part.material);
    addMorphs(part, primitive);
    Json& mesh =
        meshes_.try_emplace(part.instance, Json{{"name", part.name}, {"primitives", Json::array()}}).first->second;
    mesh["primitives"].push_back(std::move(primitive));
    if (mesh_ == &character_.mesh) written_.push_back(part);
}

void NewDocument::addMorphs(const MeshPart& part, Json& primitive) {
    Json targets = Json::array();
    for (const MorphTarget& morph : mesh_->morphs) {
        if (morph.instance != part.instance) continue;
        const auto first = std::lower_bound(morph.vertices.begin(), morph.vertices.end(), part.first_vertex);
        const auto last = std::lower_bound(first, morph.vertices.end(), part.first_vertex + part.vertex_count);
        std::vector<std::uint32_t> where(first, last);
        for (std::uint32_t& v : where) v -= part.first_vertex;
        const auto from = static_cast<std::size_t>(first - morph.vertices.begin());
        Json target = {{"POSITION", addOffsets(appender_, part.vertex_count, where,
                                               std::span(morph.position_offsets).subspan(from, where.size()))}};
        if (!morph.normal_offsets.empty() && !mesh_->normals.empty())
            target["NORMAL"] = addOffsets(appender_, part.vertex_count, where,
                                          std::span(morph.normal_offsets).subspan(from, where.size()));
        targets.push_back(std::move(target));
    }
    if (!targets.empty()) primitive["targets"] = std::move(targets);
}

std::size_t NewDocument::finishMesh(std::uint32_t instance, Json& mesh) {
    Json names = Json::array(), weights = Json::array();
    for (const MorphTarget& morph : mesh_->morphs) {
        if (morph.instance != instance) continue;
        names.push_back(morph.name);
        weights.push_back(morph.default_weight);
    }
    // Several primitives of one instance are distinguished by "#k" after the name; the mesh itself has no such suffix.
    std::string name = mesh["name"].get<std::string>();
    if (mesh["primitives"].size() > 1 && name.ends_with("#0")) name.resize(name.size() - 2);
    mesh["name"] = name;
    if (name.empty()) mesh.erase("name");
    if (!names.empty()) {
        mesh["weights"] = std::move(weights);
        mesh["extras"] = {{"targetNames", std::move(names)}};
    }
    document_.json["meshes"].push_back(std::move(mesh));
    return document_.json["meshes"].size() - 1;
}

void NewDocument::addMeshNodes() {
    for (auto& [instance, mesh] : meshes_) {
        const std::size_t index = finishMesh(instance, mesh);
        Json node = Json::object();
        if (document_.json["meshes"][index].contains("name")) node["name"] = document_.json["meshes"][index]["name"];
        node["mesh"] = index;
        if (!character_.weights.empty()) node["skin"] = 0;
        instance_node_[instance] = document_.json["nodes"].size();
        document_.json["scenes"][0]["nodes"].push_back(document_.json["nodes"].size());
        document_.json["nodes"].push_back(std::move(node));
    }
    if (document_.json["scenes"][0]["nodes"].empty()) document_.json["scenes"].erase(0);
}

void NewDocument::addProps() {
    const Props& props = character_.props;
    if (props.mesh.parts.empty()) return;
    // Faces are stored with their visible orientation; in a file, as they are before a mirrored node flips them.
    Mesh mesh = props.mesh;
    const std::vector<Affine3d> worlds = rig::nodeWorlds(character_, nullptr, 0);
    meshes_.clear();
    mesh_ = &mesh;
    for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
        const MeshPart& part = mesh.parts[p];
        if (determinant(worlds[props.nodes[p]].linear()) < 0)
            for (std::size_t t = part.first_triangle; t < part.first_triangle + part.triangle_count; ++t)
                std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
        instance_node_[part.instance] = props.nodes[p];
        addPart(part);
    }
    for (auto& [instance, made] : meshes_)
        document_.json["nodes"][instance_node_[instance]]["mesh"] = finishMesh(instance, made);
    mesh_ = &character_.mesh;
}

void NewDocument::addClip(const Clip& clip) {
    Json animation = Json::object();
    if (!clip.name.empty()) animation["name"] = clip.name;
    animation["channels"] = Json::array();
    animation["samplers"] = Json::array();
    for (const Channel& channel : clip.channels) {
        const bool morphs = channel.path == ChannelPath::morph_weights;
        if (channel.times.empty() || (morphs && !instance_node_.contains(channel.target))) continue;
        addChannel(appender_, animation, channel, morphs ? instance_node_.at(channel.target) : channel.target);
    }
    // glTF has no animations without channels.
    if (!animation["channels"].empty()) document_.json["animations"].push_back(std::move(animation));
}

void NewDocument::addPayload() {
    const DdmPayload& payload = *character_.ddm;
    const auto same = [](std::uint32_t slot) { return slot; };
    std::vector<PayloadPart> parts(written_.size());
    std::vector<PayloadPlace> places;
    std::map<std::uint32_t, std::size_t> next;  // primitive, by instance
    for (std::size_t i = 0; i < written_.size(); ++i) {
        const MeshPart& part = written_[i];
        parts[i].records = encodeRecords(payload.rows, part.first_vertex, part.vertex_count, payload.encoding, same);
        if (!payload.bind.empty())
            parts[i].new_bind = encodeWeights(payload.bind, part.first_vertex, part.vertex_count, same);
        const Json& node = document_.json["nodes"][instance_node_.at(part.instance)];
        places.push_back({node["mesh"].get<std::size_t>(), next[part.instance]++, &parts[i]});
    }
    writePayload(document_, appender_, payload, places);
}

void NewDocument::addDrivenJoints() {
    // The nodes of the skeleton are the first of the document.
    std::vector<std::size_t> node_of(character_.skeleton.nodes.size());
    std::iota(node_of.begin(), node_of.end(), std::size_t(0));
    writeDrivenJoints(document_, character_.driven, node_of);
}

}  // namespace

Document makeDocument(const Character& character) {
    checkCharacter(character);
    return NewDocument(character).make();
}

}  // namespace pelt::io::gltf
