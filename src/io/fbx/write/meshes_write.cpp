// Meshes as FBX geometry, with skins and shapes.
#include <fmt/format.h>
#include <pelt/rig/props.h>

#include <algorithm>
#include <numeric>

#include "io/gltf/document/primitive.h"
#include "scene.h"

namespace pelt::io::fbx {
namespace {

using Floats = std::vector<float>;

/// What a layer of a mesh is called in the file.
struct LayerOut {
    const char *layer, *values, *index, *name;
};

/// One value per vertex, which every corner refers to.
void writeLayer(RecordWriter& out, const LayerOut& names, int number, std::span<const double> values,
                const std::vector<std::int32_t>& corners) {
    out.begin(names.layer, number);
    out.leaf("Version", 101);
    out.leaf("Name", names.name);
    out.leaf("MappingInformationType", "ByPolygonVertex");
    out.leaf("ReferenceInformationType", "IndexToDirect");
    out.leaf(names.values, values);
    out.leaf(names.index, corners);
    out.end();
}

/// What the document has of a part and the character does not.
class Extras {
public:
    Extras(Scene& scene, const MeshOut& mesh) : scene_(scene), mesh_(mesh), reader_(scene.source.document) {}

    const gltf::InstanceSource& instance() const {
        return mesh_.instances[mesh_.parts.front().instance - mesh_.first_instance];
    }
    gltf::JsonRef primitive(std::size_t part) const {
        return scene_.source.document.item("meshes", instance().mesh).at("primitives").element(part);
    }
    /// The material of each part; -1: none.
    std::vector<std::int64_t> materials() const {
        std::vector<std::int64_t> list;
        const std::size_t count = scene_.source.document.count("materials");
        for (std::size_t p = 0; p < mesh_.parts.size(); ++p) {
            const auto material = primitive(p).indexOf("material", "materials", count);
            list.push_back(material ? static_cast<std::int64_t>(*material) : -1);
        }
        return list;
    }
    /// An attribute of all parts with `width` numbers per vertex, `fallback` where a part has none; empty if all have
    /// none.
    Floats attribute(const std::string& name, std::size_t width, float fallback) {
        Floats all;
        bool any = false;
        for (std::size_t p = 0; p < mesh_.parts.size(); ++p) {
            const std::size_t count = mesh_.parts[p].vertex_count;
            gltf::PrimitiveReader primitive_reader(reader_, primitive(p));
            Floats values;
            std::size_t given = width;
            if (primitive_reader.fits(name, width == 2 ? "VEC2" : "VEC4"))
                values = primitive_reader.floats(name, width == 2 ? "VEC2" : "VEC4");
            else if (width == 4 && primitive_reader.fits(name, "VEC3"))
                values = primitive_reader.floats(name, "VEC3"), given = 3;
            any = any || !values.empty();
            for (std::size_t v = 0; v < count; ++v)
                for (std::size_t c = 0; c < width; ++c)
                    all.push_back(c < given && v * given + c < values.size() ? values[v * given + c] : fallback);
        }
        return any ? all : Floats();
    }

private:
    Scene& scene_;
    const MeshOut& mesh_;
    gltf::AccessorReader reader_;
};

struct Range {
    std::size_t first = 0, count = 0, first_triangle = 0, triangles = 0;
};

Range rangeOf(std::span<const MeshPart> parts) {
    Range range{parts.front().first_vertex, 0, parts.front().first_triangle, 0};
    for (const MeshPart& part : parts) range.count += part.vertex_count, range.triangles += part.triangle_count;
    return range;
}

std::vector<std::int32_t> cornersOf(const MeshOut& mesh, const Range& range) {
    std::vector<std::int32_t> corners;
    const bool mirrored = determinant(mesh.place.linear()) < 0;
    for (std::size_t t = range.first_triangle; t < range.first_triangle + range.triangles; ++t) {
        Triangle triangle = mesh.mesh.triangles[t];
        if (mirrored) std::swap(triangle[1], triangle[2]);
        for (const std::uint32_t v : triangle) corners.push_back(static_cast<std::int32_t>(v - range.first));
    }
    return corners;
}

/// The corners as FBX lists them: the last of a polygon is inverted.
std::vector<std::int32_t> polygonsOf(std::vector<std::int32_t> corners) {
    for (std::size_t c = 2; c < corners.size(); c += 3) corners[c] = -corners[c] - 1;
    return corners;
}

std::vector<double> placedPoints(const MeshOut& mesh, const Range& range) {
    std::vector<double> flat;
    flat.reserve(range.count * 3);
    for (std::size_t v = range.first; v < range.first + range.count; ++v) {
        const Vec3d p = mesh.place * Vec3d(mesh.mesh.positions[v]);
        flat.insert(flat.end(), {p.x, p.y, p.z});
    }
    return flat;
}

std::vector<double> placedNormals(const MeshOut& mesh, const Range& range) {
    std::vector<double> flat;
    const Mat3d turn = cofactor(mesh.place.linear()) * (determinant(mesh.place.linear()) < 0 ? -1.0 : 1.0);
    for (std::size_t v = range.first; v < range.first + range.count; ++v) {
        const Vec3d n = normalized(turn * Vec3d(mesh.mesh.normals[v]), Vec3d(0, 0, 1));
        flat.insert(flat.end(), {n.x, n.y, n.z});
    }
    return flat;
}

void writeUvs(RecordWriter& out, const MeshOut& mesh, const Range& range, Extras& extras,
              const std::vector<std::int32_t>& corners, int& sets) {
    for (sets = 0; sets < 4; ++sets) {
        std::vector<double> flat;
        if (sets == 0 && !mesh.mesh.uvs.empty()) {
            for (std::size_t v = range.first; v < range.first + range.count; ++v)
                flat.insert(flat.end(), {mesh.mesh.uvs[v].x, 1.0 - mesh.mesh.uvs[v].y});
        } else if (sets > 0) {
            for (const float number : extras.attribute(fmt::format("TEXCOORD_{}", sets), 2, 0))
                flat.push_back(flat.size() % 2 == 0 ? number : 1.0 - number);
        }
        if (flat.empty()) return;
        const std::string name = sets == 0 ? "UVMap" : fmt::format("UVMap{}", sets + 1);
        writeLayer(out, {"LayerElementUV", "UV", "UVIndex", name.c_str()}, sets, flat, corners);
    }
}

/// The number of each part's material among those of the mesh.
std::vector<std::int32_t> numbersOf(const std::vector<std::int64_t>& materials, std::vector<std::int64_t>& used) {
    std::vector<std::int32_t> numbers;
    for (const std::int64_t material : materials) {
        const auto found = std::find(used.begin(), used.end(), material);
        numbers.push_back(static_cast<std::int32_t>(found - used.begin()));
        if (found == used.end()) used.push_back(material);
    }
    return numbers;
}

void writeMaterialLayer(RecordWriter& out, std::span<const MeshPart> parts, const std::vector<std::int32_t>& numbers) {
    const bool one = std::all_of(numbers.begin(), numbers.end(), [&](std::int32_t n) { return n == numbers.front(); });
    std::vector<std::int32_t> list;
    for (std::size_t p = 0; p < parts.size(); ++p)
        list.insert(list.end(), one ? p == 0 : parts[p].triangle_count, numbers[p]);
    out.begin("LayerElementMaterial", 0);
    out.leaf("Version", 101);
    out.leaf("Name", "");
    out.leaf("MappingInformationType", one ? "AllSame" : "ByPolygon");
    out.leaf("ReferenceInformationType", "IndexToDirect");
    out.leaf("Materials", list);
    out.end();
}

void writeLayers(RecordWriter& out, bool normals, bool colors, int uv_sets) {
    for (int layer = 0; layer < std::max(uv_sets, 1); ++layer) {
        out.begin("Layer", layer);
        out.leaf("Version", 100);
        const auto refer = [&](const char* type) {
            out.begin("LayerElement");
            out.leaf("Type", type);
            out.leaf("TypedIndex", layer);
            out.end();
        };
        if (layer == 0 && normals) refer("LayerElementNormal");
        if (layer == 0) refer("LayerElementMaterial");
        if (layer == 0 && colors) refer("LayerElementColor");
        if (layer < uv_sets) refer("LayerElementUV");
        out.end();
    }
}

void writeShape(Scene& scene, const MeshOut& mesh, const MorphTarget& morph, const Range& range, std::int64_t id) {
    std::vector<std::int32_t> points;
    std::vector<double> offsets, normals;
    const Mat3d linear = mesh.place.linear();
    for (std::size_t i = 0; i < morph.vertices.size(); ++i) {
        if (morph.vertices[i] < range.first || morph.vertices[i] >= range.first + range.count) continue;
        points.push_back(static_cast<std::int32_t>(morph.vertices[i] - range.first));
        const Vec3d offset = linear * Vec3d(morph.position_offsets[i]);
        const Vec3d normal = morph.normal_offsets.empty() ? Vec3d() : scene.turn * Vec3d(morph.normal_offsets[i]);
        offsets.insert(offsets.end(), {offset.x, offset.y, offset.z});
        normals.insert(normals.end(), {normal.x, normal.y, normal.z});
    }
    scene.out.begin("Geometry", id, ObjectName{morph.name, "Geometry"}, "Shape");
    scene.out.leaf("Version", 100);
    scene.out.leaf("Indexes", points);
    scene.out.leaf("Vertices", offsets);
    scene.out.leaf("Normals", normals);
    scene.out.end();
}

void writeShapes(Scene& scene, const MeshOut& mesh, const Range& range, std::int64_t geometry) {
    const std::uint32_t instance = mesh.parts.front().instance;
    std::int64_t deformer = 0;
    for (const MorphTarget& morph : mesh.mesh.morphs) {
        if (morph.instance != instance) continue;
        if (deformer == 0) {
            deformer = scene.newId("Deformer");
            scene.out.begin("Deformer", deformer, ObjectName{"Shapes", "Deformer"}, "BlendShape");
            scene.out.leaf("Version", 100);
            scene.out.end();
            scene.link(deformer, geometry);
        }
        const std::int64_t channel = scene.newId("Deformer"), shape = scene.newId("Geometry");
        scene.out.begin("Deformer", channel, ObjectName{morph.name, "SubDeformer"}, "BlendShapeChannel");
        scene.out.leaf("Version", 100);
        scene.out.leaf("DeformPercent", morph.default_weight * 100.0);
        scene.out.leaf("FullWeights", std::vector<double>{100});
        scene.out.end();
        writeShape(scene, mesh, morph, range, shape);
        scene.link(channel, deformer);
        scene.link(shape, channel);
        scene.shape_ids[instance].push_back(channel);
    }
}

/// A cluster for each joint that moves a vertex of the mesh.
void writeSkin(Scene& scene, const Range& range, std::int64_t geometry) {
    const Character& character = scene.character;
    struct Rows {
        std::vector<std::int32_t> points;
        std::vector<double> weights;
    };
    std::vector<Rows> of_joint(character.skeleton.joints.size());
    for (std::size_t v = 0; v < range.count; ++v) {
        const auto joints = character.weights.jointsOf(range.first + v);
        const auto weights = character.weights.weightsOf(range.first + v);
        for (std::size_t i = 0; i < joints.size(); ++i) {
            of_joint[joints[i]].points.push_back(static_cast<std::int32_t>(v));
            of_joint[joints[i]].weights.push_back(weights[i]);
        }
    }
    const std::int64_t skin = scene.newId("Deformer");
    scene.out.begin("Deformer", skin, ObjectName{"Skin", "Deformer"}, "Skin");
    scene.out.leaf("Version", 101);
    scene.out.leaf("Link_DeformAcuracy", 50.0);
    scene.out.end();
    scene.link(skin, geometry);
    for (std::size_t j = 0; j < of_joint.size(); ++j) {
        if (of_joint[j].points.empty()) continue;
        const Joint& joint = character.skeleton.joints[j];
        const Affine3d link = scene.worldInFile(inverse(joint.inverse_bind)), transform = inverse(link);
        const std::int64_t cluster = scene.newId("Deformer");
        scene.out.begin("Deformer", cluster, ObjectName{character.skeleton.nodes[joint.node].name, "SubDeformer"},
                        "Cluster");
        scene.out.leaf("Version", 100);
        scene.out.leaf("UserData", "", "");
        scene.out.leaf("Indexes", of_joint[j].points);
        scene.out.leaf("Weights", of_joint[j].weights);
        scene.out.leaf("Transform", std::span<const double>(transform.m));
        scene.out.leaf("TransformLink", std::span<const double>(link.m));
        scene.out.end();
        scene.link(cluster, skin);
        scene.link(scene.node_ids[joint.node], cluster);
    }
}

/// Calls `visit` with the parts of each instance.
template <class Visit>
void forInstances(const std::vector<MeshPart>& parts, Visit&& visit) {
    for (std::size_t p = 0; p < parts.size();) {
        std::size_t last = p + 1;
        while (last < parts.size() && parts[last].instance == parts[p].instance) ++last;
        visit(p, std::span(parts).subspan(p, last - p));
        p = last;
    }
}

/// The geometry of some parts under a model, with its materials.
std::int64_t writeShown(Scene& scene, const MeshOut& mesh, const std::string& name, std::int64_t model,
                        const std::vector<std::int64_t>& materials) {
    Extras extras(scene, mesh);
    std::vector<std::int64_t> used;
    numbersOf(extras.materials(), used);
    const std::int64_t geometry = writeGeometry(scene, mesh, name);
    scene.link(geometry, model);
    for (const std::int64_t material : used)
        scene.link(material < 0 ? materials.back() : materials[static_cast<std::size_t>(material)], model);
    return geometry;
}

std::string meshName(const Scene& scene, const gltf::InstanceSource& instance) {
    const gltf::JsonRef node = scene.source.document.item("nodes", instance.node);
    const gltf::JsonRef mesh = scene.source.document.item("meshes", instance.mesh);
    const std::string name = node.stringOr("name", mesh.stringOr("name", "mesh"));
    const Skeleton& skeleton = scene.character.skeleton;
    for (std::size_t n = 0; n < skeleton.nodes.size(); ++n)
        if (scene.node_ids[n] != 0 && skeleton.nodes[n].name == name) return name + "_mesh";
    return name;
}

void writeProps(Scene& scene, const std::vector<std::int64_t>& materials) {
    const Props& props = scene.character.props;
    const std::vector<Affine3d> worlds = rig::nodeWorlds(scene.character, nullptr, 0);
    Mesh mesh = props.mesh;  // its faces as they are before a mirrored node turns them inside out
    for (std::size_t p = 0; p < mesh.parts.size(); ++p)
        if (determinant(worlds[props.nodes[p]].linear()) < 0)
            for (std::size_t t = 0; t < mesh.parts[p].triangle_count; ++t)
                std::swap(mesh.triangles[mesh.parts[p].first_triangle + t][1],
                          mesh.triangles[mesh.parts[p].first_triangle + t][2]);
    const Affine3d place(Mat3d() * scene.unit, {});
    forInstances(mesh.parts, [&](std::size_t first, std::span<const MeshPart> parts) {
        const std::uint32_t node = props.nodes[first];
        const MeshOut made{mesh, parts, scene.source.props, scene.source.instances.size(), place};
        const std::string& name = scene.character.skeleton.nodes[node].name;
        std::int64_t model = scene.node_ids[node];
        if (!scene.mesh_nodes.contains(node)) {
            model = scene.newId("Model");
            beginModel(scene, model, name + "_mesh", "Mesh", {});
            endModel(scene);
            scene.link(model, scene.node_ids[node]);
        }
        const std::int64_t geometry = writeShown(scene, made, name, model, materials);
        writeShapes(scene, made, rangeOf(parts), geometry);
    });
}

}  // namespace

std::int64_t writeGeometry(Scene& scene, const MeshOut& mesh, const std::string& name) {
    RecordWriter& out = scene.out;
    const Range range = rangeOf(mesh.parts);
    Extras extras(scene, mesh);
    const std::int64_t id = scene.newId("Geometry");
    const std::vector<std::int32_t> corners = cornersOf(mesh, range);
    out.begin("Geometry", id, ObjectName{name, "Geometry"}, "Mesh");
    out.leaf("GeometryVersion", 124);
    out.leaf("Vertices", placedPoints(mesh, range));
    out.leaf("PolygonVertexIndex", polygonsOf(corners));
    if (!mesh.mesh.normals.empty())
        writeLayer(out, {"LayerElementNormal", "Normals", "NormalsIndex", ""}, 0, placedNormals(mesh, range), corners);
    const Floats colors = extras.attribute("COLOR_0", 4, 1);
    if (!colors.empty())
        writeLayer(out, {"LayerElementColor", "Colors", "ColorIndex", "Col"}, 0,
                   std::vector<double>(colors.begin(), colors.end()), corners);
    int uv_sets = 0;
    writeUvs(out, mesh, range, extras, corners, uv_sets);
    std::vector<std::int64_t> used;
    writeMaterialLayer(out, mesh.parts, numbersOf(extras.materials(), used));
    writeLayers(out, !mesh.mesh.normals.empty(), !colors.empty(), uv_sets);
    out.end();
    return id;
}

void writeMeshes(Scene& scene) {
    const std::vector<std::int64_t> materials = writeMaterials(scene);
    const Character& character = scene.character;
    forInstances(character.mesh.parts, [&](std::size_t, std::span<const MeshPart> parts) {
        const MeshOut made{character.mesh, parts, scene.source.instances, 0, scene.toFile()};
        const gltf::InstanceSource& instance = scene.source.instances[parts.front().instance];
        const std::string name = meshName(scene, instance);
        const std::int64_t model = scene.newId("Model");
        beginModel(scene, model, name, "Mesh", {});
        endModel(scene);
        scene.link(model, 0);
        scene.mesh_models.push_back(model);
        const std::int64_t geometry = writeShown(scene, made, name, model, materials);
        if (!character.weights.empty()) writeSkin(scene, rangeOf(parts), geometry);
        writeShapes(scene, made, rangeOf(parts), geometry);
    });
    writeProps(scene, materials);
}

void writeBindPose(Scene& scene) {
    const Skeleton& skeleton = scene.character.skeleton;
    const std::vector<Affine3d> worlds = rig::bindWorlds(skeleton);
    std::vector<std::pair<std::int64_t, Affine3d>> posed;
    for (const std::int64_t model : scene.mesh_models) posed.push_back({model, {}});
    for (std::size_t n = 0; n < worlds.size(); ++n)
        if (scene.node_ids[n] != 0) posed.push_back({scene.node_ids[n], scene.worldInFile(worlds[n])});
    const std::int64_t id = scene.newId("Pose");
    scene.out.begin("Pose", id, ObjectName{"BindPose", "Pose"}, "BindPose");
    scene.out.leaf("Type", "BindPose");
    scene.out.leaf("Version", 100);
    scene.out.leaf("NbPoseNodes", static_cast<std::int32_t>(posed.size()));
    for (const auto& [model, matrix] : posed) {
        scene.out.begin("PoseNode");
        scene.out.leaf("Node", model);
        scene.out.leaf("Matrix", std::span<const double>(matrix.m));
        scene.out.end();
    }
    scene.out.end();
}

}  // namespace pelt::io::fbx
