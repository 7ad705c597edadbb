// Reads the skin clusters and blend shapes of an FBX mesh.
#include "fbx_skin.h"

#include <algorithm>
#include <cmath>

namespace pelt::importer {
namespace {

/// A matrix for row vectors stored by rows has the same sixteen numbers as one for column vectors stored by columns.
bool readMatrix(const FbxElement& cluster, const char* name, Affine3d& matrix) {
    const FbxElement* element = cluster.find(name);
    const std::vector<double> numbers = element ? element->array() : std::vector<double>();
    if (numbers.size() != 16) return false;
    for (const double x : numbers)
        if (!std::isfinite(x)) return false;
    std::copy(numbers.begin(), numbers.end(), matrix.m);
    return true;
}

Affine3d restWorld(const FbxRig& rig, std::size_t model) {
    Affine3d world;
    for (std::int32_t n = static_cast<std::int32_t>(rig.nodeOf(model)); n > 0;  // node 0 is the conversion
         n = rig.skeleton().nodes[static_cast<std::size_t>(n)].parent)
        world = rig::restLocal(rig.skeleton().nodes[static_cast<std::size_t>(n)]) * world;
    return world;
}

std::vector<double> arrayOf(const FbxElement& element, const char* name) {
    const FbxElement* child = element.find(name);
    return child ? child->array() : std::vector<double>();
}

BonePoints readPoints(const FbxElement& cluster) {
    const std::vector<double> indices = arrayOf(cluster, "Indexes"), weights = arrayOf(cluster, "Weights");
    BonePoints points;
    for (std::size_t i = 0; i < indices.size() && i < weights.size(); ++i) {
        if (!(indices[i] >= 0 && indices[i] < 4e9) || !std::isfinite(weights[i])) continue;
        points.points.push_back(static_cast<std::uint32_t>(indices[i]));
        points.weights.push_back(static_cast<float>(weights[i]));
    }
    return points;
}

/// The material number of each polygon; empty if all have one.
std::vector<double> polygonMaterials(const FbxElement& geometry) {
    const FbxElement* layer = geometry.find("LayerElementMaterial");
    if (!layer) return {};
    const FbxElement* mapping = layer->find("MappingInformationType");
    if (!mapping || mapping->text(0) != "ByPolygon") return {};
    std::vector<double> materials = arrayOf(*layer, "Materials");
    const bool one = std::all_of(materials.begin(), materials.end(), [&](double m) { return m == materials.front(); });
    return one ? std::vector<double>() : materials;
}

/// The corners of the geometry with the material of their polygon.
struct Corners {
    std::vector<std::uint32_t> point;
    std::vector<double> material;
};

Corners readCorners(const FbxElement& geometry) {
    const std::vector<double> materials = polygonMaterials(geometry);
    Corners corners;
    std::size_t polygon = 0;
    for (const double number : arrayOf(geometry, "PolygonVertexIndex")) {
        if (!(std::abs(number) < 4e9)) return {};
        const auto index = static_cast<std::int64_t>(number);
        corners.point.push_back(static_cast<std::uint32_t>(index < 0 ? -index - 1 : index));
        corners.material.push_back(polygon < materials.size() ? materials[polygon] : 0);
        if (index < 0) ++polygon;
    }
    return corners;
}

bool fits(const std::vector<std::uint32_t>& points, const std::vector<double>& vertices, const aiMesh& mesh) {
    if (points.size() != mesh.mNumVertices) return false;
    for (std::size_t v = 0; v < points.size(); ++v) {
        const std::size_t at = points[v] * std::size_t(3);
        if (at + 3 > vertices.size() || static_cast<float>(vertices[at]) != mesh.mVertices[v].x ||
            static_cast<float>(vertices[at + 1]) != mesh.mVertices[v].y ||
            static_cast<float>(vertices[at + 2]) != mesh.mVertices[v].z)
            return false;
    }
    return true;
}

}  // namespace

std::vector<FbxCluster> readClusters(const FbxDocument& document, const FbxObject& geometry, const FbxRig& rig) {
    std::vector<FbxCluster> clusters;
    const std::vector<const FbxObject*> skins = document.sources(geometry.id, "Deformer", "Skin");
    if (skins.empty()) return clusters;
    for (const FbxObject* object : document.sources(skins.back()->id, "Deformer", "Cluster")) {
        const std::vector<const FbxObject*> models = document.sources(object->id, "Model");
        const std::int32_t model = models.empty() ? -1 : rig.modelOf(models.front()->id);
        if (model < 0) continue;
        FbxCluster cluster;
        cluster.model = models.front();
        readMatrix(*object->element, "Transform", cluster.transform);
        if (!readMatrix(*object->element, "TransformLink", cluster.link))
            cluster.link = restWorld(rig, static_cast<std::size_t>(model));
        cluster.points = readPoints(*object->element);
        clusters.push_back(cluster);
    }
    return clusters;
}

double FbxShape::weightAt(double p) const {
    if (next > full && p > full) return std::max(0.0, (next - p) / (next - full));
    return full > previous ? (p - previous) / (full - previous) * (previous > 0 && p < previous ? 0 : 1) : 0;
}

std::vector<FbxShape> readShapes(const FbxDocument& document, const FbxObject& geometry) {
    std::vector<FbxShape> shapes;
    for (const FbxObject* deformer : document.sources(geometry.id, "Deformer", "BlendShape")) {
        for (const FbxObject* channel : document.sources(deformer->id, "Deformer", "BlendShapeChannel")) {
            const std::vector<const FbxObject*> targets = document.sources(channel->id, "Geometry", "Shape");
            const std::vector<double> full = arrayOf(*channel->element, "FullWeights");
            const FbxElement* percent = channel->element->find("DeformPercent");
            double before = 0;
            for (std::size_t i = 0; i < targets.size(); ++i) {
                FbxShape shape;
                shape.name = targets.size() == 1 || i + 1 == targets.size() ? channel->name : targets[i]->name;
                shape.channel = channel;
                shape.percent = percent ? percent->real(0) : document.number(*channel, "DeformPercent");
                shape.previous = before;
                // Some files list a full weight per vertex of the shape; only one per shape is meaningful.
                const bool listed = full.size() == targets.size();
                const auto fullAt = [&](std::size_t k) {
                    return listed ? full[k] : 100.0 * double(k + 1) / double(targets.size());
                };
                shape.full = fullAt(i);
                shape.next = i + 1 < targets.size() ? fullAt(i + 1) : 0;
                before = shape.full;
                shapes.push_back(shape);
            }
        }
    }
    return shapes;
}

std::vector<std::vector<std::uint32_t>> controlPoints(const FbxObject& geometry,
                                                      const std::vector<const aiMesh*>& meshes) {
    const Corners corners = readCorners(*geometry.element);
    const std::vector<double> vertices = arrayOf(*geometry.element, "Vertices");
    // The library makes one mesh per material, in the order in which polygons first use them.
    std::vector<double> order;
    std::map<double, std::vector<std::uint32_t>> points;
    for (std::size_t c = 0; c < corners.point.size(); ++c) {
        std::vector<std::uint32_t>& list = points[corners.material[c]];
        if (list.empty()) order.push_back(corners.material[c]);
        list.push_back(corners.point[c]);
    }
    std::vector<std::vector<std::uint32_t>> result(meshes.size());
    for (std::size_t m = 0; m < meshes.size() && meshes.size() == order.size(); ++m)
        if (fits(points[order[m]], vertices, *meshes[m])) result[m] = std::move(points[order[m]]);
    return result;
}

}  // namespace pelt::importer
