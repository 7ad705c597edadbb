// Loads the meshes of a document: shape, morph targets, attributes and weights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/gltf/mend/mend.h"
#include "load.h"

namespace pelt::io::gltf {
namespace {

Vec3f vec3At(const std::vector<float>& flat, std::size_t i) { return {flat[i * 3], flat[i * 3 + 1], flat[i * 3 + 2]}; }

/// The map of a node's mesh to root space.
class Placement {
public:
    explicit Placement(const Affine3d& matrix)
        : matrix_(matrix), identity_(isIdentity(matrix)), mirrored_(determinant(matrix.linear()) < 0) {
        normal_ = cofactor(matrix.linear());
        if (mirrored_) normal_ = normal_ * -1.0;
    }

    bool identity() const { return identity_; }
    bool mirrored() const { return mirrored_; }
    Vec3f point(const Vec3f& p) const { return identity_ ? p : Vec3f(matrix_ * Vec3d(p)); }
    Vec3f offset(const Vec3f& d) const { return identity_ ? d : Vec3f(matrix_.linear() * Vec3d(d)); }
    /// A unit normal; quantized ones are normalized, those without direction become +z.
    Vec3f normal(const Vec3f& n) const {
        const Vec3d moved = identity_ ? Vec3d(n) : normal_ * Vec3d(n);
        const bool unit = identity_ && std::abs(dot(moved, moved) - 1) < 2e-6;
        return unit ? n : Vec3f(normalized(moved, Vec3d{0, 0, 1}));
    }
    /// The offset of a normal `base`, with the same scale factor.
    Vec3f normalOffset(const Vec3f& base, const Vec3f& d) const {
        if (identity_) return d;
        const double scale = length(normal_ * Vec3d(base));
        return scale > 0 ? Vec3f(normal_ * Vec3d(d) / scale) : Vec3f{};
    }
    Vec4f tangent(const float* t) const {
        const Vec3f along = normalized(offset({t[0], t[1], t[2]}), Vec3f{1, 0, 0});
        return {along.x, along.y, along.z, (t[3] < 0) != mirrored_ ? -1.0F : 1.0F};
    }

private:
    Affine3d matrix_;
    Mat3d normal_;
    bool identity_, mirrored_;
};

/// Normals of a part that has none: the area-weighted mean of its face normals.
void appendFaceNormals(Mesh& mesh, const MeshPart& part) {
    std::vector<Vec3d> sums(part.vertex_count);
    for (std::size_t t = part.first_triangle; t < mesh.triangles.size(); ++t) {
        const Triangle& corners = mesh.triangles[t];
        const Vec3d a(mesh.positions[corners[0]]), b(mesh.positions[corners[1]]), c(mesh.positions[corners[2]]);
        for (const std::uint32_t v : corners) sums[v - part.first_vertex] += cross(b - a, c - a);
    }
    for (const Vec3d& sum : sums) mesh.normals.push_back(Vec3f(normalized(sum, Vec3d{0, 0, 1})));
}

/// The node of each part of the props; a mirrored node turns faces inside out, so these are flipped.
void placePropsOnNodes(Loading& loading) {
    const GltfSource& source = *loading.source;
    Props& props = loading.character.props;
    for (const MeshPart& part : props.mesh.parts) {
        const std::size_t node = source.props[part.instance - source.instances.size()].node;
        const auto found = std::find(source.node_of.begin(), source.node_of.end(), node);
        props.nodes.push_back(static_cast<std::uint32_t>(found - source.node_of.begin()));
        if (determinant(restWorld(loading.document(), loading.tree, node).linear()) >= 0) continue;
        for (std::size_t t = part.first_triangle; t < part.first_triangle + part.triangle_count; ++t)
            std::swap(props.mesh.triangles[t][1], props.mesh.triangles[t][2]);
    }
}

/// Counts of data that was left out or moved, over all primitives.
struct MendedMeshes {
    std::size_t attributes = 0, positions = 0, offsets = 0;

    void tell(std::vector<std::string>& warnings) const {
        if (attributes > 0)
            warnings.push_back(
                attributes == 1
                    ? "an attribute of a primitive (normals, tangents or UVs) does not match the number of vertices; "
                      "it "
                      "was left out"
                    : fmt::format("{} attributes of primitives (normals, tangents, UVs) do not match the number of "
                                  "vertices; they were left out",
                                  attributes));
        if (positions > 0)
            warnings.push_back(
                fmt::format("{} vertices were not finite; they were moved to the mean of their neighbors", positions));
        if (offsets > 0)
            warnings.push_back(fmt::format("{} offsets of morph targets were not finite; they were set to 0", offsets));
    }
};

class MeshLoader {
public:
    /// Fills `mesh` with those instances; they are numbered from `first_instance` on.
    MeshLoader(Loading& loading, Mesh& mesh, const std::vector<InstanceSource>& instances, std::size_t first_instance,
               MendedMeshes& mended)
        : loading_(loading),
          document_(loading.document()),
          mesh_(mesh),
          instances_(instances),
          first_instance_(first_instance),
          mended_(mended) {}

    void load() {
        for (std::size_t i = 0; i < instances_.size(); ++i) addInstance(i);
        if (missing_normals_) mesh_.normals.clear();
        if (missing_tangents_) mesh_.tangents.clear();
        if (!any_uvs_) mesh_.uvs.clear();
        if (mesh_.normals.empty())
            for (MorphTarget& morph : mesh_.morphs) morph.normal_offsets.clear();
        for (VertexAttribute& attribute : mesh_.attributes) attribute.values.resize(mesh_.positions.size(), 0.0F);
    }
    /// Primitives without normals get computed smooth ones if `wanted`.
    void makeNormals(bool wanted) { make_normals_ = wanted; }
    void finishWeights() { weights_.finish(loading_, mesh_, loading_.character.weights, loading_.warnings); }

private:
    void addInstance(std::size_t index);
    void addPrimitive(PrimitiveReader& primitive, const InstanceSource& instance, MeshPart part, PartSource& source);
    std::vector<float> readPositions(PrimitiveReader& primitive, std::span<const Triangle> triangles);
    void addVertices(PrimitiveReader& primitive, const std::vector<float>& positions, const Placement& placement);
    /// Whether an attribute can be read; one that cannot is counted.
    bool usable(const PrimitiveReader& primitive, const char* name, const char* type) {
        mended_.attributes += primitive.has(name) && !primitive.fits(name, type);
        return primitive.fits(name, type);
    }
    void addAttributes(PrimitiveReader& primitive);
    void addMorphs(PrimitiveReader& primitive, const Placement& placement, std::size_t first_morph);
    void addOffsets(const JsonRef& target, const char* key, std::size_t count, std::vector<float>& out);
    std::size_t startMorphs(const JsonRef& mesh, const JsonRef& node, std::size_t instance);
    /// Reports that this many numbers of the primitive were decoded.
    void tell(std::uint64_t numbers) {
        numbers = std::min(numbers, untold_);
        untold_ -= numbers;
        loading_.progress.decoded(numbers);
    }

    Loading& loading_;
    const Document& document_;
    Mesh& mesh_;
    const std::vector<InstanceSource>& instances_;
    const std::size_t first_instance_;
    MendedMeshes& mended_;
    WeightLoader weights_;
    bool missing_normals_ = false, missing_tangents_ = false, any_uvs_ = false, make_normals_ = false;
    std::uint64_t untold_ = 0;  // numbers of the primitive not yet reported to progress
};

void MeshLoader::addInstance(std::size_t index) {
    const InstanceSource& instance = instances_[index];
    const JsonRef mesh = document_.item("meshes", instance.mesh), node = document_.item("nodes", instance.node);
    const JsonRef primitives = mesh.at("primitives");
    std::string name = mesh.stringOr("name", "");
    if (name.empty()) name = node.stringOr("name", "");
    if (name.empty()) name = fmt::format("mesh_{}", instance.mesh);
    const std::size_t first_morph = startMorphs(mesh, node, first_instance_ + index);
    for (std::size_t p = 0; p < primitives.size(); ++p) {
        PrimitiveReader primitive(*loading_.reader, primitives.element(p));
        MeshPart part;
        part.name = primitives.size() > 1 ? fmt::format("{}#{}", name, p) : name;
        part.instance = static_cast<std::uint32_t>(first_instance_ + index);
        if (const auto material = primitive.json().indexOf("material", "materials", document_.count("materials")))
            part.material = document_.item("materials", *material).stringOr("name", "");
        untold_ = numbersOfPrimitive(document_, primitive.json().value());
        PartSource source{index, p, primitive.vertexCount()};
        addPrimitive(primitive, instance, std::move(part), source);
        addMorphs(primitive, Placement(instance.placement), first_morph);
        tell(untold_);
        if (&mesh_ == &loading_.character.mesh) loading_.source->parts.push_back(source);
    }
}

void MeshLoader::addPrimitive(PrimitiveReader& primitive, const InstanceSource& instance, MeshPart part,
                              PartSource& source) {
    if (mesh_.positions.size() + primitive.vertexCount() > 0xFFFFFFF0U)
        primitive.json().fail("more than 4 billion vertices; split the file");
    part.first_vertex = static_cast<std::uint32_t>(mesh_.positions.size());
    part.vertex_count = static_cast<std::uint32_t>(primitive.vertexCount());
    part.first_triangle = static_cast<std::uint32_t>(mesh_.triangles.size());
    if (primitive.vertexCount() > 0) {
        const Placement placement(instance.placement);
        const std::vector<Triangle> triangles = primitive.triangles();
        const std::size_t mended_before = mended_.positions;
        addVertices(primitive, readPositions(primitive, triangles), placement);
        source.mended_shape = mended_.positions > mended_before;
        addAttributes(primitive);
        for (Triangle t : triangles) {
            if (placement.mirrored()) std::swap(t[1], t[2]);
            for (std::uint32_t& corner : t) corner += part.first_vertex;
            mesh_.triangles.push_back(t);
        }
        tell(3 * (mesh_.triangles.size() - part.first_triangle));
        if (mesh_.normals.size() < mesh_.positions.size() && make_normals_) appendFaceNormals(mesh_, part);
        if (instance.skin) {
            source.mended_weights =
                weights_.append(primitive, loading_.source->skin_slots[*instance.skin], loading_.character.weights);
            source.loose_weights = weights_.isLoose();
        }
    }
    part.triangle_count = static_cast<std::uint32_t>(mesh_.triangles.size()) - part.first_triangle;
    mesh_.parts.push_back(std::move(part));
}

std::vector<float> MeshLoader::readPositions(PrimitiveReader& primitive, std::span<const Triangle> triangles) {
    std::vector<float> positions = primitive.floats("POSITION", "VEC3");
    mended_.positions += mendPositions(primitive.json().at("attributes").at("POSITION"), positions, triangles);
    return positions;
}

void MeshLoader::addVertices(PrimitiveReader& primitive, const std::vector<float>& positions,
                             const Placement& placement) {
    const std::size_t count = primitive.vertexCount();
    for (std::size_t v = 0; v < count; ++v) {
        mesh_.positions.push_back(placement.point(vec3At(positions, v)));
        if (!isFinite(mesh_.positions.back()))
            primitive.json().fail(fmt::format(
                "vertex {} is too far from the origin in root space for single precision; scale the character down",
                v));
    }
    const std::size_t total = mesh_.positions.size();
    tell(3 * count);

    if (usable(primitive, "NORMAL", "VEC3")) {
        const std::vector<float> normals = primitive.floats("NORMAL", "VEC3");
        for (std::size_t v = 0; v < count; ++v) mesh_.normals.push_back(placement.normal(vec3At(normals, v)));
        tell(3 * count);
    }
    missing_normals_ |= !make_normals_ && mesh_.normals.size() != total;
    if (usable(primitive, "TANGENT", "VEC4")) {
        const std::vector<float> tangents = primitive.floats("TANGENT", "VEC4");
        for (std::size_t v = 0; v < count; ++v) mesh_.tangents.push_back(placement.tangent(tangents.data() + v * 4));
    }
    missing_tangents_ |= mesh_.tangents.size() != total;
    if (usable(primitive, "TEXCOORD_0", "VEC2")) {
        any_uvs_ = true;
        const std::vector<float> uvs = primitive.floats("TEXCOORD_0", "VEC2");
        mesh_.uvs.resize(total - count);
        for (std::size_t i = 0; i < uvs.size(); i += 2) {
            const bool finite = std::isfinite(uvs[i]) && std::isfinite(uvs[i + 1]);
            mesh_.uvs.push_back(finite ? Vec2f{uvs[i], uvs[i + 1]} : Vec2f{});
        }
    }
    mesh_.uvs.resize(any_uvs_ ? total : 0);
}

void MeshLoader::addAttributes(PrimitiveReader& primitive) {
    const std::size_t first = mesh_.positions.size() - primitive.vertexCount();
    for (const std::string& name : primitive.attributeNames()) {
        if (!name.starts_with('_') || !primitive.fits(name, "SCALAR")) continue;
        std::vector<float> values = primitive.floats(name, "SCALAR");
        auto known = std::find_if(mesh_.attributes.begin(), mesh_.attributes.end(),
                                  [&](const VertexAttribute& attribute) { return attribute.name == name; });
        if (known == mesh_.attributes.end()) known = mesh_.attributes.insert(known, VertexAttribute{name, {}});
        known->values.resize(first, 0.0F);
        known->values.insert(known->values.end(), values.begin(), values.end());
    }
}

std::size_t MeshLoader::startMorphs(const JsonRef& mesh, const JsonRef& node, std::size_t instance) {
    std::size_t count = 0;
    const JsonRef primitives = mesh.at("primitives");
    for (std::size_t p = 0; p < primitives.size(); ++p)
        if (const auto targets = primitives.element(p).find("targets")) count = std::max(count, targets->size());
    auto defaults = node.find("weights");
    if (!defaults) defaults = mesh.find("weights");
    const Json* names = nullptr;
    if (const auto extras = mesh.find("extras"); extras && extras->value().is_object())
        if (const auto listed = extras->find("targetNames"); listed && listed->value().is_array())
            names = &listed->value();
    const std::size_t first = mesh_.morphs.size();
    for (std::size_t t = 0; t < count; ++t) {
        MorphTarget morph;
        morph.name = names && t < names->size() && (*names)[t].is_string() ? (*names)[t].get<std::string>()
                                                                           : fmt::format("morph_{}", t);
        morph.instance = static_cast<std::uint32_t>(instance);
        if (defaults && t < defaults->size()) morph.default_weight = defaults->element(t).asFloat();
        mesh_.morphs.push_back(std::move(morph));
    }
    return first;
}

void MeshLoader::addOffsets(const JsonRef& target, const char* key, std::size_t count, std::vector<float>& out) {
    const auto accessor = target.indexOf(key, "accessors", document_.count("accessors"));
    if (!accessor) return;
    out = loading_.reader->floats(*accessor, "VEC3");
    if (out.size() != count * 3)
        target.fail(fmt::format("{} has {} elements for {} vertices; re-export the file", key, out.size() / 3, count));
    for (std::size_t v = 0; v < count; ++v) {
        if (isFinite(vec3At(out, v))) continue;
        ++mended_.offsets;
        std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(3 * v), 3, 0.0F);
    }
}

void MeshLoader::addMorphs(PrimitiveReader& primitive, const Placement& placement, std::size_t first_morph) {
    const auto targets = primitive.json().find("targets");
    const std::size_t count = primitive.vertexCount(), first = mesh_.positions.size() - count;
    for (std::size_t t = 0; targets && count > 0 && t < targets->size(); ++t) {
        std::vector<float> positions, normals;
        addOffsets(targets->element(t), "POSITION", count, positions);
        addOffsets(targets->element(t), "NORMAL", count, normals);
        tell(positions.size() + normals.size());
        MorphTarget& morph = mesh_.morphs[first_morph + t];
        if (!normals.empty()) morph.normal_offsets.resize(morph.vertices.size());
        const bool with_normals = !normals.empty() || !morph.normal_offsets.empty();
        for (std::size_t v = 0; v < count; ++v) {
            const Vec3f p = positions.empty() ? Vec3f{} : vec3At(positions, v);
            const Vec3f n = normals.empty() ? Vec3f{} : vec3At(normals, v);
            if (p == Vec3f{} && n == Vec3f{}) continue;
            loading_.reader->budget().take(targets->element(t), 28);
            morph.vertices.push_back(static_cast<std::uint32_t>(first + v));
            morph.position_offsets.push_back(placement.offset(p));
            if (!with_normals) continue;
            const bool has_base = mesh_.normals.size() == mesh_.positions.size();
            morph.normal_offsets.push_back(has_base ? placement.normalOffset(mesh_.normals[first + v], n) : n);
        }
    }
}

}  // namespace

void loadMeshes(Loading& loading) {
    Character& character = loading.character;
    GltfSource& source = *loading.source;
    MendedMeshes mended;
    MeshLoader skin(loading, character.mesh, source.instances, 0, mended);
    skin.load();
    if (character.mesh.positions.empty() && !source.instances.empty())
        loading.document().root().fail("the file has no mesh with vertices; choose another file");
    skin.finishWeights();
    MeshLoader props(loading, character.props.mesh, source.props, source.instances.size(), mended);
    props.makeNormals(!character.mesh.normals.empty());
    props.load();
    if (character.mesh.normals.empty()) character.props.mesh.normals.clear();
    placePropsOnNodes(loading);
    mended.tell(loading.warnings);
}

}  // namespace pelt::io::gltf
