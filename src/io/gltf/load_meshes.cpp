#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "gltf/load.h"

namespace pelt::io::gltf {
namespace {

Vec3f vec3At(const std::vector<float>& flat, std::size_t i) { return {flat[i * 3], flat[i * 3 + 1], flat[i * 3 + 2]}; }

/// How the numbers of a node's mesh come to root space.
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
    /// A unit normal; quantised ones are brought to length 1, ones without direction point up z.
    Vec3f normal(const Vec3f& n) const {
        const Vec3d moved = identity_ ? Vec3d(n) : normal_ * Vec3d(n);
        const bool unit = identity_ && std::abs(dot(moved, moved) - 1) < 2e-6;
        return unit ? n : Vec3f(normalized(moved, Vec3d{0, 0, 1}));
    }
    /// The offset of a normal `base`, scaled as that one was.
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

class MeshLoader {
public:
    explicit MeshLoader(Loading& loading)
        : loading_(loading), document_(loading.document()), mesh_(loading.character.mesh) {}

    void load() {
        for (std::size_t i = 0; i < loading_.source->instances.size(); ++i) addInstance(i);
        if (missing_normals_) mesh_.normals.clear();
        if (missing_tangents_) mesh_.tangents.clear();
        if (!any_uvs_) mesh_.uvs.clear();
        if (mesh_.normals.empty())
            for (MorphTarget& morph : mesh_.morphs) morph.normal_offsets.clear();
        if (mesh_.positions.empty()) document_.root().fail("no mesh has vertices; choose a file with some");
        for (VertexAttribute& attribute : mesh_.attributes) attribute.values.resize(mesh_.positions.size(), 0.0F);
        weights_.finish(loading_.character.weights, loading_.character.warnings);
    }

private:
    void addInstance(std::size_t index);
    void addPrimitive(PrimitiveReader& primitive, const InstanceSource& instance, MeshPart part);
    void addVertices(PrimitiveReader& primitive, const Placement& placement);
    void addAttributes(PrimitiveReader& primitive);
    void addMorphs(PrimitiveReader& primitive, const Placement& placement, std::size_t first_morph);
    void addOffsets(const JsonRef& target, const char* key, std::size_t count, std::vector<float>& out);
    std::size_t startMorphs(const JsonRef& mesh, const JsonRef& node, std::size_t instance);
    /// So many numbers of the primitive were decoded.
    void tell(std::uint64_t numbers) {
        numbers = std::min(numbers, untold_);
        untold_ -= numbers;
        loading_.progress.decoded(numbers);
    }

    Loading& loading_;
    const Document& document_;
    Mesh& mesh_;
    WeightLoader weights_;
    bool missing_normals_ = false, missing_tangents_ = false, any_uvs_ = false;
    std::uint64_t untold_ = 0;  // numbers of the primitive that progress has not heard of
};

void MeshLoader::addInstance(std::size_t index) {
    const InstanceSource& instance = loading_.source->instances[index];
    const JsonRef mesh = document_.item("meshes", instance.mesh), node = document_.item("nodes", instance.node);
    const JsonRef primitives = mesh.at("primitives");
    std::string name = mesh.stringOr("name", "");
    if (name.empty()) name = node.stringOr("name", "");
    if (name.empty()) name = fmt::format("mesh_{}", instance.mesh);
    const std::size_t first_morph = startMorphs(mesh, node, index);
    for (std::size_t p = 0; p < primitives.size(); ++p) {
        PrimitiveReader primitive(*loading_.reader, primitives.element(p));
        MeshPart part;
        part.name = primitives.size() > 1 ? fmt::format("{}#{}", name, p) : name;
        part.instance = static_cast<std::uint32_t>(index);
        if (instance.skin) part.body = loading_.source->skin_bodies[*instance.skin];
        if (const auto material = primitive.json().indexOf("material", "materials", document_.count("materials")))
            part.material = document_.item("materials", *material).stringOr("name", "");
        untold_ = numbersOfPrimitive(document_, primitive.json().value());
        addPrimitive(primitive, instance, std::move(part));
        addMorphs(primitive, Placement(instance.placement), first_morph);
        tell(untold_);
        loading_.source->parts.push_back({index, p, primitive.vertexCount()});
    }
}

void MeshLoader::addPrimitive(PrimitiveReader& primitive, const InstanceSource& instance, MeshPart part) {
    if (mesh_.positions.size() + primitive.vertexCount() > 0xFFFFFFF0U)
        primitive.json().fail("more than 4 billion vertices; split the file");
    part.first_vertex = static_cast<std::uint32_t>(mesh_.positions.size());
    part.vertex_count = static_cast<std::uint32_t>(primitive.vertexCount());
    part.first_triangle = static_cast<std::uint32_t>(mesh_.triangles.size());
    if (primitive.vertexCount() > 0) {
        const Placement placement(instance.placement);
        addVertices(primitive, placement);
        addAttributes(primitive);
        for (Triangle t : primitive.triangles()) {
            if (placement.mirrored()) std::swap(t[1], t[2]);
            for (std::uint32_t& corner : t) corner += part.first_vertex;
            mesh_.triangles.push_back(t);
        }
        tell(3 * (mesh_.triangles.size() - part.first_triangle));
        if (instance.skin)
            weights_.append(primitive, loading_.source->skin_slots[*instance.skin], loading_.character.weights);
    }
    part.triangle_count = static_cast<std::uint32_t>(mesh_.triangles.size()) - part.first_triangle;
    mesh_.parts.push_back(std::move(part));
}

void MeshLoader::addVertices(PrimitiveReader& primitive, const Placement& placement) {
    const std::size_t count = primitive.vertexCount();
    const std::vector<float> positions = primitive.floats("POSITION", "VEC3");
    requireFinite(primitive.json().at("attributes").at("POSITION"), positions, 3, "vertex");
    for (std::size_t v = 0; v < count; ++v) {
        mesh_.positions.push_back(placement.point(vec3At(positions, v)));
        if (!isFinite(mesh_.positions.back()))
            primitive.json().fail(
                fmt::format("vertex {} lies beyond single precision in root space; scale it down", v));
    }
    const std::size_t total = mesh_.positions.size();
    tell(3 * count);

    if (primitive.has("NORMAL")) {
        const std::vector<float> normals = primitive.floats("NORMAL", "VEC3");
        for (std::size_t v = 0; v < count; ++v) mesh_.normals.push_back(placement.normal(vec3At(normals, v)));
        tell(3 * count);
    }
    missing_normals_ |= mesh_.normals.size() != total;
    if (primitive.has("TANGENT")) {
        const std::vector<float> tangents = primitive.floats("TANGENT", "VEC4");
        for (std::size_t v = 0; v < count; ++v) mesh_.tangents.push_back(placement.tangent(tangents.data() + v * 4));
    }
    missing_tangents_ |= mesh_.tangents.size() != total;
    if (primitive.has("TEXCOORD_0")) {
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
        if (!name.starts_with('_') || primitive.info(name).type != "SCALAR") continue;
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
    requireFinite(target, out, 3, "offset");
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

void loadMeshes(Loading& loading) { MeshLoader(loading).load(); }

void requireFinite(const JsonRef& who, std::span<const float> values, std::size_t width, const char* what) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i]))
            who.fail(fmt::format("{} {} is not finite; re-export the file", what, i / width));
}

namespace {

/// FNV-1a, a word at a time.
struct WordHash {
    std::uint64_t value = 0xCBF29CE484222325U;
    void add(std::uint64_t word) { value = (value ^ word) * 0x100000001B3U; }
    void add(float number) { add(std::uint64_t(std::bit_cast<std::uint32_t>(number))); }
};

}  // namespace

std::uint64_t hashFaces(const Mesh& mesh) {
    WordHash hash;
    hash.add(std::uint64_t(mesh.positions.size()));
    for (const Triangle& t : mesh.triangles)
        for (const std::uint32_t v : t) hash.add(std::uint64_t(v));
    return hash.value;
}

std::uint64_t hashShape(const Mesh& mesh, std::size_t first, std::size_t count) {
    WordHash hash;
    for (const std::vector<Vec3f>* list : {&mesh.positions, &mesh.normals})
        for (std::size_t v = first; v < first + count && v < list->size(); ++v)
            for (int i = 0; i < 3; ++i) hash.add((*list)[v][i]);
    for (std::size_t v = first; v < first + count && v < mesh.tangents.size(); ++v)
        for (const float x : {mesh.tangents[v].x, mesh.tangents[v].y, mesh.tangents[v].z, mesh.tangents[v].w})
            hash.add(x);
    return hash.value;
}

}  // namespace pelt::io::gltf
