// Reads the skin clusters and blend shapes of an FBX mesh.
#include "skin.h"

#include <algorithm>
#include <cmath>

namespace pelt::io::fbx {
namespace {

/// A matrix for row vectors stored by rows has the same sixteen numbers as one for column vectors stored by columns.
bool readMatrix(const Element& cluster, const char* name, Affine3d& matrix) {
    const std::vector<double> numbers = cluster.arrayOf<double>(name);
    if (numbers.size() != 16) return false;
    for (const double x : numbers)
        if (!std::isfinite(x)) return false;
    std::copy(numbers.begin(), numbers.end(), matrix.m);
    return true;
}

void readPoints(const Element& cluster, FbxCluster& out) {
    const std::vector<std::int32_t> indices = cluster.arrayOf<std::int32_t>("Indexes");
    const std::vector<float> weights = cluster.arrayOf<float>("Weights");
    for (std::size_t i = 0; i < indices.size() && i < weights.size(); ++i) {
        if (indices[i] < 0 || !std::isfinite(weights[i]) || !(weights[i] > 0)) continue;
        out.points.push_back(indices[i]);
        out.weights.push_back(weights[i]);
    }
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
        cluster.model = static_cast<std::size_t>(model);
        if (Affine3d link; readMatrix(*object->element, "TransformLink", link)) cluster.link = link;
        if (!readMatrix(*object->element, "Transform", cluster.transform) && cluster.link)
            cluster.transform = inverse(*cluster.link);
        readPoints(*object->element, cluster);
        clusters.push_back(std::move(cluster));
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
            const std::vector<double> full = channel->element->arrayOf<double>("FullWeights");
            const Element* percent = channel->element->find("DeformPercent");
            double before = 0;
            for (std::size_t i = 0; i < targets.size(); ++i) {
                FbxShape shape;
                shape.name = targets.size() == 1 || i + 1 == targets.size() ? channel->name : targets[i]->name;
                shape.channel = channel;
                shape.geometry = targets[i];
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

ShapeOffsets readOffsets(const FbxObject& shape, std::size_t point_count) {
    const std::vector<std::int32_t> points = shape.element->arrayOf<std::int32_t>("Indexes");
    const std::vector<float> positions = shape.element->arrayOf<float>("Vertices");
    const std::vector<float> normals = shape.element->arrayOf<float>("Normals");
    ShapeOffsets offsets;
    const auto at = [](const std::vector<float>& list, std::size_t i) {
        return Vec3f{list[3 * i], list[3 * i + 1], list[3 * i + 2]};
    };
    for (std::size_t i = 0; i < points.size() && 3 * i + 3 <= positions.size(); ++i) {
        const Vec3f position = at(positions, i);
        if (points[i] < 0 || std::size_t(points[i]) >= point_count || !isFinite(position)) continue;
        offsets.points.push_back(static_cast<std::uint32_t>(points[i]));
        offsets.positions.push_back(position);
        if (normals.size() != positions.size()) continue;
        const Vec3f normal = at(normals, i);
        offsets.normals.push_back(isFinite(normal) ? normal : Vec3f());
    }
    return offsets;
}

}  // namespace pelt::io::fbx
