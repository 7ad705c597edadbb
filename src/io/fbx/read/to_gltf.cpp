// Writes what an FBX file has as a glTF document.
#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "geometry.h"
#include "io/fbx/fbx.h"
#include "io/gltf/write/write_parts.h"
#include "materials.h"
#include "skin.h"

namespace pelt::io::fbx {
namespace {

using gltf::Json;

constexpr double kTreeDone = 0.2, kMeshesDone = 0.7;
constexpr std::size_t kMostJoints = 65535;  // of one skin, in glTF
/// Points of all meshes as often as they are shown: a few bytes can show one mesh many times.
constexpr std::uint64_t kMostPoints = std::uint64_t(1) << 28;

bool isFiniteMap(const Affine3d& a) {
    return std::all_of(std::begin(a.m), std::end(a.m), [](double x) { return std::isfinite(x); });
}

bool isBone(const FbxNode& model) {
    const std::string_view type = model.object->subtype;
    return type == "LimbNode" || type == "Limb" || type == "Root";
}

/// A model that shows a mesh.
struct Shown {
    std::size_t model = 0;
    const FbxObject* geometry = nullptr;
    std::vector<FbxCluster> clusters;
    std::vector<FbxShape> shapes;
};

class Converter {
public:
    Converter(const FbxDocument& file, bool pictures_beside, std::vector<std::string>& warnings,
              const Progress& progress)
        : file_(file),
          rig_(file),
          warnings_(warnings),
          progress_(progress),
          appender_(document_),
          materials_(file, document_, appender_, pictures_beside, warnings) {
        document_.json = {
            {"asset", {{"version", "2.0"}, {"generator", "Pelt"}}}, {"scene", 0}, {"scenes", {{{"nodes", {0}}}}}};
    }

    gltf::Document make() {
        const Skeleton& skeleton = rig_.skeleton();
        std::vector<Affine3d> local;
        for (const SkeletonNode& node : skeleton.nodes) local.push_back(rig::restLocal(node));
        world_.resize(local.size());
        rig::worldTransforms(skeleton, local, world_);
        findMeshes();
        addNodes();
        for (std::size_t i = 0; i < shown_.size(); ++i) {
            addMesh(shown_[i]);
            progress_.report("import", kTreeDone + (kMeshesDone - kTreeDone) * double(i + 1) / double(shown_.size()));
        }
        if (!document_.json.contains("skins")) addLooseJoints();
        addClips();
        if (shown_.empty() && !document_.json.contains("skins")) throw Error::badInput(whatItHas());
        return std::move(document_);
    }

private:
    void findMeshes();
    void addNodes();
    void addMesh(const Shown& shown);
    void addAttributes(const Geometry& geometry, const Piece& piece, const Affine3d& place, Json& attributes);
    void addWeights(const SkinWeights& of_points, const Piece& piece, Json& attributes);
    void addShapes(const std::vector<ShapeOffsets>& shapes, const Piece& piece, const Affine3d& place, Json& primitive);
    Affine3d bindOf(const Shown& shown) const;
    SkinWeights addSkin(const Shown& shown, const Geometry& geometry, const Affine3d& bind);
    void addSkin(std::span<const std::size_t> nodes, std::span<const Affine3d> inverse_binds);
    void addLooseJoints();
    void addClips();
    void addMorphChannel(const FbxRig::Take& take, const Shown& shown, Json& animation);
    bool movesRigidly(std::size_t model) const;
    const char* whatItHas() const;

    const FbxDocument& file_;
    FbxRig rig_;
    std::vector<std::string>& warnings_;
    const Progress& progress_;
    gltf::Document document_;
    gltf::Appender appender_;
    Materials materials_;
    std::vector<Affine3d> world_;
    std::vector<Shown> shown_;
    std::set<std::size_t> animated_;  ///< models
    std::map<std::tuple<std::int64_t, std::vector<std::size_t>, std::vector<double>>, std::size_t> instanced_;
    std::uint64_t shown_points_ = 0;
    bool any_skin_ = false, any_normals_ = false;
};

void Converter::findMeshes() {
    for (std::size_t m = 0; m < rig_.models().size(); ++m) {
        const FbxObject& model = *rig_.models()[m].object;
        for (const FbxObject* geometry : file_.sources(model.id, "Geometry", "Mesh")) {
            if (!geometry->element->find("Vertices") || !geometry->element->find("PolygonVertexIndex")) continue;
            shown_.push_back({m, geometry, readClusters(file_, *geometry, rig_), readShapes(file_, *geometry)});
            any_skin_ = any_skin_ || !shown_.back().clusters.empty();
            any_normals_ = any_normals_ || geometry->element->find("LayerElementNormal");
            break;
        }
    }
    for (const FbxRig::Take& take : rig_.takes())
        for (const auto& entry : take.take->nodes)
            if (const std::int32_t model = rig_.modelOf(entry.first); model >= 0)
                animated_.insert(static_cast<std::size_t>(model));
}

/// Names are unique, as Pelt and most engines address nodes by them; joints choose first.
void Converter::addNodes() {
    const Skeleton& skeleton = rig_.skeleton();
    std::set<std::uint32_t> first, moved;
    for (std::size_t m = 0; m < rig_.models().size(); ++m)
        if (isBone(rig_.models()[m])) first.insert(rig_.nodeOf(m));
    for (const Shown& shown : shown_)
        for (const FbxCluster& cluster : shown.clusters) first.insert(rig_.nodeOf(cluster.model));
    for (std::uint32_t n = 1; n < skeleton.nodes.size(); ++n) moved.insert(n);
    std::vector<std::string> names(skeleton.nodes.size());
    std::set<std::string> used;
    std::map<std::string, int> copies;
    for (const bool joints : {true, false})
        for (std::uint32_t n = 0; n < skeleton.nodes.size(); ++n) {
            if (first.contains(n) != joints) continue;
            const std::string wanted = skeleton.nodes[n].name.empty() ? "node" : skeleton.nodes[n].name;
            names[n] = wanted;
            while (!used.insert(names[n]).second)
                names[n] = fmt::format("{}_{}", wanted, ++copies.try_emplace(wanted, 1).first->second);
        }
    Json& nodes = gltf::collection(document_, "nodes");
    for (std::uint32_t n = 0; n < skeleton.nodes.size(); ++n) {
        Json node = {{"name", names[n]}};
        gltf::writeTransform(node, skeleton.nodes[n], moved.contains(n));
        if (skeleton.nodes[n].parent >= 0)
            nodes[static_cast<std::size_t>(skeleton.nodes[n].parent)]["children"].push_back(nodes.size());
        nodes.push_back(std::move(node));
    }
}

/// Without any skin in the file, a mesh on a bone or on a node that moves is a rigid part of the character.
bool Converter::movesRigidly(std::size_t model) const {
    if (any_skin_) return false;
    for (std::int32_t m = static_cast<std::int32_t>(model); m >= 0; m = rig_.models()[std::size_t(m)].parent)
        if (isBone(rig_.models()[std::size_t(m)]) || animated_.contains(std::size_t(m))) return true;
    return false;
}

void Converter::addMesh(const Shown& shown) {
    const FbxNode& model = rig_.models()[shown.model];
    const std::vector<const FbxObject*> materials = file_.sources(model.object->id, "Material");
    const bool skinned = !shown.clusters.empty() || movesRigidly(shown.model);
    std::vector<std::size_t> material_ids;
    for (const FbxObject* material : materials) material_ids.push_back(static_cast<std::size_t>(material->id));
    const std::tuple key(shown.geometry->id, material_ids,
                         std::vector<double>(std::begin(model.geometric.m), std::end(model.geometric.m)));
    const auto instance = instanced_.find(key);
    if (instance != instanced_.end() && !skinned) {
        gltf::collection(document_, "nodes")[rig_.nodeOf(shown.model)]["mesh"] = instance->second;
        return;
    }
    Geometry geometry = readGeometry(*shown.geometry, materials.size());
    shown_points_ += geometry.points.size();
    for (const Piece& piece : geometry.pieces) shown_points_ += piece.triangles.size();
    if (shown_points_ > kMostPoints)
        throw Error::badInput(
            fmt::format("mesh '{}' is shown too often; instance it in the program that uses it", model.object->name));
    if (geometry.pieces.empty()) {
        warnings_.push_back(fmt::format("mesh '{}' has no faces and was left out", model.object->name));
        return;
    }
    if (any_normals_) makeNormals(geometry);
    SkinWeights weights;
    Affine3d place = model.geometric;
    if (skinned) {
        const Affine3d bind = bindOf(shown);
        weights = addSkin(shown, geometry, bind);
        place = bind * model.geometric;
    }
    std::vector<ShapeOffsets> shapes;
    for (const FbxShape& shape : shown.shapes) shapes.push_back(readOffsets(*shape.geometry, geometry.points.size()));
    Json mesh = {{"name", model.object->name}, {"primitives", Json::array()}};
    for (const Piece& piece : geometry.pieces) {
        Json primitive = {{"attributes", Json::object()}};
        addAttributes(geometry, piece, place, primitive["attributes"]);
        if (skinned) addWeights(weights, piece, primitive["attributes"]);
        std::vector<std::uint32_t> triangles = piece.triangles;
        if (determinant(place.linear()) < 0)
            for (std::size_t t = 0; t + 3 <= triangles.size(); t += 3) std::swap(triangles[t + 1], triangles[t + 2]);
        primitive["indices"] = appender_.addIndices(triangles, piece.points.size());
        if (std::size_t(piece.material) < materials.size())
            primitive["material"] = materials_.add(*materials[std::size_t(piece.material)], geometry.uv_names);
        addShapes(shapes, piece, place, primitive);
        mesh["primitives"].push_back(std::move(primitive));
    }
    if (!shapes.empty()) {
        for (const FbxShape& shape : shown.shapes) {
            mesh["weights"].push_back(static_cast<float>(shape.weightAt(shape.percent)));
            mesh["extras"]["targetNames"].push_back(shape.name);
        }
    }
    Json& meshes = gltf::collection(document_, "meshes");
    meshes.push_back(std::move(mesh));
    const std::size_t index = meshes.size() - 1;
    Json& node = gltf::collection(document_, "nodes")[rig_.nodeOf(shown.model)];
    node["mesh"] = index;
    if (skinned)
        node["skin"] = document_.json["skins"].size() - 1;
    else
        instanced_.emplace(key, index);
}

void Converter::addAttributes(const Geometry& geometry, const Piece& piece, const Affine3d& place, Json& attributes) {
    using gltf::ViewTarget;
    const bool plain = isIdentity(place);
    std::vector<float> flat;
    for (const std::uint32_t point : piece.points) {
        const Vec3f p = plain ? geometry.points[point] : Vec3f(place * Vec3d(geometry.points[point]));
        flat.insert(flat.end(), {p.x, p.y, p.z});
    }
    attributes["POSITION"] = appender_.addFloats(flat, "VEC3", ViewTarget::vertices, true);
    flat.clear();
    const Mat3d turn = cofactor(place.linear()) * (determinant(place.linear()) < 0 ? -1.0 : 1.0);
    for (const Vec3f& normal : piece.normals) {
        const Vec3f n = plain ? normal : Vec3f(normalized(turn * Vec3d(normal), Vec3d(0, 0, 1)));
        flat.insert(flat.end(), {n.x, n.y, n.z});
    }
    if (!flat.empty()) attributes["NORMAL"] = appender_.addFloats(flat, "VEC3", ViewTarget::vertices);
    for (std::size_t set = 0; set < kMostUvSets; ++set) {
        flat.clear();
        for (const Vec2f& uv : piece.uvs[set]) flat.insert(flat.end(), {uv.x, uv.y});
        if (!flat.empty())
            attributes[fmt::format("TEXCOORD_{}", set)] = appender_.addFloats(flat, "VEC2", ViewTarget::vertices);
    }
    flat.clear();
    for (const Vec4f& c : piece.colors) flat.insert(flat.end(), {c.x, c.y, c.z, c.w});
    if (!flat.empty()) attributes["COLOR_0"] = appender_.addFloats(flat, "VEC4", ViewTarget::vertices);
}

/// Where the mesh is when it is bound, in meters, y up: there the vertices of a skin are stored.
Affine3d Converter::bindOf(const Shown& shown) const {
    Affine3d bind = world_[rig_.nodeOf(shown.model)];
    if (!shown.clusters.empty()) {
        const FbxCluster& first = shown.clusters.front();
        bind = (first.link ? rig_.conversion() * *first.link : world_[rig_.nodeOf(first.model)]) * first.transform;
    }
    return isFiniteMap(bind) && isFiniteMap(inverse(bind)) ? bind : Affine3d();
}

/// The weights of the control points, and the skin that they refer to. Points without a weight follow the mesh's node.
SkinWeights Converter::addSkin(const Shown& shown, const Geometry& geometry, const Affine3d& bind) {
    const Affine3d from_bind = inverse(bind);
    const std::size_t own = rig_.nodeOf(shown.model);
    std::vector<std::size_t> nodes;
    std::vector<Affine3d> inverse_binds;
    std::vector<std::vector<std::pair<std::uint32_t, float>>> rows(geometry.points.size());
    for (const FbxCluster& cluster : shown.clusters) {
        const auto joint = static_cast<std::uint32_t>(nodes.size());
        nodes.push_back(rig_.nodeOf(cluster.model));
        inverse_binds.push_back(cluster.transform * from_bind);
        for (std::size_t i = 0; i < cluster.points.size(); ++i)
            if (const auto point = static_cast<std::size_t>(cluster.points[i]); point < rows.size())
                rows[point].push_back({joint, cluster.weights[i]});
    }
    std::size_t loose = 0;
    for (auto& row : rows)
        if (row.empty()) row.push_back({static_cast<std::uint32_t>(nodes.size()), 1.0F}), ++loose;
    if (loose > 0) {
        nodes.push_back(own);
        inverse_binds.push_back(from_bind);
        if (!shown.clusters.empty())
            warnings_.push_back(fmt::format("mesh '{}': {} vertices have no weight; they follow the node of the mesh",
                                            rig_.models()[shown.model].object->name, loose));
    }
    addSkin(nodes, inverse_binds);
    SkinWeights weights;
    std::vector<std::uint32_t> joints;
    std::vector<float> values;
    for (const auto& row : rows) {
        joints.clear(), values.clear();
        for (const auto& [joint, weight] : row) joints.push_back(joint), values.push_back(weight);
        appendVertex(weights, joints, values);
    }
    return weights;
}

/// In glTF the joints of a skin are unique: a node that is bound twice gets a twin.
void Converter::addSkin(std::span<const std::size_t> nodes, std::span<const Affine3d> inverse_binds) {
    if (nodes.size() > kMostJoints)
        throw Error::badInput(fmt::format("a skin has {} joints, but at most {} are read", nodes.size(), kMostJoints));
    Json listed = Json::array();
    std::set<std::size_t> seen;
    for (const std::size_t node : nodes)
        listed.push_back(seen.insert(node).second ? node : gltf::addTwinNode(document_, node));
    for (std::size_t j = 0; j < nodes.size(); ++j)
        if (!isFiniteMap(inverse_binds[j]))
            throw Error::badInput(fmt::format("joint '{}' is bound with a scale of zero; bind the skin again",
                                              rig_.skeleton().nodes[nodes[j]].name));
    gltf::collection(document_, "skins")
        .push_back({{"inverseBindMatrices", appender_.addMatrices(inverse_binds)}, {"joints", std::move(listed)}});
}

void Converter::addWeights(const SkinWeights& of_points, const Piece& piece, Json& attributes) {
    SkinWeights weights;
    for (const std::uint32_t point : piece.points)
        appendVertex(weights, of_points.jointsOf(point), of_points.weightsOf(point));
    gltf::writeWeights(appender_, attributes,
                       gltf::encodeWeights(weights, 0, piece.points.size(), [](std::uint32_t slot) { return slot; }));
}

void Converter::addShapes(const std::vector<ShapeOffsets>& shapes, const Piece& piece, const Affine3d& place,
                          Json& primitive) {
    const Mat3d linear = place.linear(), turn = cofactor(linear) * (determinant(linear) < 0 ? -1.0 : 1.0);
    const double shrink = std::cbrt(std::abs(determinant(turn)));  // normals keep their length
    for (const ShapeOffsets& shape : shapes) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> of_point;  // point, its place in the shape
        for (std::uint32_t i = 0; i < shape.points.size(); ++i) of_point.push_back({shape.points[i], i});
        std::sort(of_point.begin(), of_point.end());
        std::vector<std::uint32_t> where;
        std::vector<Vec3f> positions, normals;
        auto at = of_point.begin();
        for (std::uint32_t v = 0; v < piece.points.size(); ++v) {  // both are sorted by point
            while (at != of_point.end() && at->first < piece.points[v]) ++at;
            if (at == of_point.end() || at->first != piece.points[v]) continue;
            where.push_back(v);
            positions.push_back(Vec3f(linear * Vec3d(shape.positions[at->second])));
            if (!shape.normals.empty()) normals.push_back(Vec3f(turn * Vec3d(shape.normals[at->second]) / shrink));
        }
        Json target = {{"POSITION", gltf::addOffsets(appender_, piece.points.size(), where, positions)}};
        const bool turns = std::any_of(normals.begin(), normals.end(), [](const Vec3f& n) { return !(n == Vec3f()); });
        if (turns && !piece.normals.empty())
            target["NORMAL"] = gltf::addOffsets(appender_, piece.points.size(), where, normals);
        primitive["targets"].push_back(std::move(target));
    }
}

/// Where no mesh has a skin, the bones are still a skeleton to bind to; without a mesh, so is everything that moves.
void Converter::addLooseJoints() {
    std::vector<std::size_t> nodes;
    std::vector<Affine3d> inverse_binds;
    for (std::size_t m = 0; m < rig_.models().size(); ++m) {
        if (!isBone(rig_.models()[m]) && !(shown_.empty() && animated_.contains(m))) continue;
        const Affine3d bind = inverse(world_[rig_.nodeOf(m)]);
        if (!isFiniteMap(bind)) continue;
        nodes.push_back(rig_.nodeOf(m));
        inverse_binds.push_back(bind);
    }
    if (!nodes.empty()) addSkin(nodes, inverse_binds);
}

void Converter::addMorphChannel(const FbxRig::Take& take, const Shown& shown, Json& animation) {
    std::vector<const FbxCurve*> curves, driving;
    for (const FbxShape& shape : shown.shapes) {
        const auto found = take.take->morphs.find(shape.channel->id);
        curves.push_back(found == take.take->morphs.end() ? nullptr : &found->second);
        if (curves.back()) driving.push_back(curves.back());
    }
    const std::size_t node = rig_.nodeOf(shown.model);
    if (driving.empty() || !document_.json["nodes"][node].contains("mesh")) return;
    const Motion motion = [&](double t, Side side) {
        std::vector<double> weights;
        for (std::size_t s = 0; s < shown.shapes.size(); ++s) {
            const double percent = !curves[s]             ? shown.shapes[s].percent
                                   : side == Side::before ? curves[s]->evaluateBefore(t)
                                                          : curves[s]->evaluate(t);
            weights.push_back(shown.shapes[s].weightAt(percent));
        }
        return weights;
    };
    gltf::addChannel(appender_, animation,
                     sampleMotion(ChannelPath::morph_weights, 0, keyTimes(driving, take.span), motion, take.span),
                     node);
}

void Converter::addClips() {
    const double share = (1 - kMeshesDone) / static_cast<double>(std::max<std::size_t>(rig_.takes().size(), 1));
    double done = kMeshesDone;
    for (const FbxRig::Take& take : rig_.takes()) {
        const Clip clip = rig_.makeClip(take, [&](double part) { progress_.report("import", done + share * part); });
        Json animation = {{"name", clip.name}, {"channels", Json::array()}, {"samplers", Json::array()}};
        for (const Channel& channel : clip.channels) gltf::addChannel(appender_, animation, channel, channel.target);
        for (const Shown& shown : shown_) addMorphChannel(take, shown, animation);
        if (!animation["channels"].empty()) gltf::collection(document_, "animations").push_back(std::move(animation));
        done += share;
    }
}

const char* Converter::whatItHas() const {
    for (const FbxObject* shape : file_.objects("Geometry"))
        if (shape->subtype.starts_with("Nurbs"))
            return "it has NURBS curves or surfaces, but no mesh; convert them to polygons and export it again";
    return "it has no mesh and no animation; export the skinned mesh together with its skeleton";
}

}  // namespace

bool isFbx(std::span<const std::byte> bytes) {
    const std::string_view head(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 4096));
    return head.starts_with("Kaydara FBX Binary") || head.find("FBXHeaderExtension") != std::string_view::npos ||
           head.starts_with("; FBX");
}

gltf::Document readDocument(std::span<const std::byte> bytes, bool pictures_beside, std::vector<std::string>& warnings,
                            const Progress& progress) {
    progress.report("import", 0);
    const Tree tree = parse(bytes);
    progress.report("import", kTreeDone);
    const FbxDocument file(tree);
    return Converter(file, pictures_beside, warnings, progress).make();
}

}  // namespace pelt::io::fbx
