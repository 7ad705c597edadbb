// The rigid bind, smoothed over the skin with a width that depends on the thickness of the limb. With A the area around
// a vertex, (A + t L) x = A x_0 is one implicit step of heat flow in the plane of the skin, independent of the mesh:
// its kernel has the variance 2 t in each direction, so p steps of t = width^2 / (2 p) blur by `width` on coarse and
// fine meshes alike. In the smoother's terms lambda = t D_L / A.
#include <pelt/core/error.h>
#include <pelt/geometry/segments.h>
#include <pelt/geometry/smoothing.h>
#include <pelt/geometry/weld.h>
#include <pelt/scenes/scenes.h>

#include <algorithm>

namespace pelt::scenes {
namespace {

constexpr int kSteps = 2;
constexpr double kWidthPerRadius = 0.7;

struct WeldedSkin {
    geometry::Weld weld;
    std::vector<Vec3f> positions;
    std::vector<Triangle> triangles;
};

WeldedSkin weldSkin(const Mesh& mesh) {
    WeldedSkin skin;
    skin.weld = geometry::weldByPosition(mesh);
    for (const std::uint32_t v : skin.weld.representative) skin.positions.push_back(mesh.positions[v]);
    skin.triangles = geometry::weldedTriangles(mesh.triangles, skin.weld);
    return skin;
}

/// The thickness of the limb at each vertex: the distance to the nearest bone, but at least a fifth of its mean,
/// because bones may reach out of the skin.
std::vector<double> limbRadii(const Skeleton& skeleton, std::span<const Vec3f> positions) {
    const auto segments = geometry::boneSegments(rig::jointRestPositions(skeleton), rig::jointParents(skeleton));
    const auto nearest = geometry::nearestSegments(segments, positions);
    std::vector<double> radii(positions.size());
    double mean = 0;
    for (std::size_t v = 0; v < positions.size(); ++v) {
        radii[v] = geometry::distanceTo(segments[nearest[v]], Vec3d(positions[v]));
        mean += radii[v] / double(positions.size());
    }
    for (double& r : radii) r = std::max(r, 0.2 * mean);
    return radii;
}

std::vector<double> vertexAreas(const WeldedSkin& skin) {
    std::vector<double> areas(skin.positions.size(), 0.0);
    for (const Triangle& t : skin.triangles) {
        const Vec3d a(skin.positions[t[0]]), b(skin.positions[t[1]]), c(skin.positions[t[2]]);
        for (const std::uint32_t v : t) areas[v] += length(cross(b - a, c - a)) / 6;
    }
    return areas;
}

geometry::ImplicitSmoother makeSmoother(const WeldedSkin& skin, const Skeleton& skeleton) {
    const auto laplacian = geometry::makeLaplacian(geometry::LaplacianKind::cotangent, skin.positions, skin.triangles);
    const std::vector<double> radii = limbRadii(skeleton, skin.positions), areas = vertexAreas(skin);
    std::vector<double> strength(skin.positions.size(), 0.0);
    for (std::size_t v = 0; v < strength.size(); ++v) {
        const double width = kWidthPerRadius * radii[v];
        if (areas[v] > 0) strength[v] = width * width / (2 * kSteps) * laplacian.diagonal[v] / areas[v];
    }
    return {laplacian, skin.positions, 1.0, strength};
}

}  // namespace

SkinWeights smoothWeights(const Character& character, std::size_t influences) {
    const std::size_t joint_count = character.skeleton.joints.size();
    if (character.weights.vertexCount() != character.mesh.vertexCount()) {
        throw Error::badInput("a character needs weights for every vertex before they can be smoothed");
    }
    const WeldedSkin skin = weldSkin(character.mesh);
    const std::size_t count = skin.positions.size();
    std::vector<double> columns(count * joint_count, 0.0);
    for (std::size_t w = 0; w < count; ++w) {
        const std::uint32_t v = skin.weld.representative[w];
        for (std::size_t k = 0; k < character.weights.influenceCount(v); ++k) {
            columns[character.weights.jointsOf(v)[k] * count + w] = character.weights.weightsOf(v)[k];
        }
    }
    makeSmoother(skin, character.skeleton).smooth(columns, kSteps);

    // Small weights far away are invisible and would only use up influences.
    constexpr double kSmallest = 1e-3;
    SkinWeights smooth;
    std::vector<std::uint32_t> joints;
    std::vector<float> values;
    for (const std::uint32_t w : skin.weld.welded) {
        joints.clear();
        values.clear();
        for (std::uint32_t j = 0; j < joint_count; ++j) {
            if (columns[j * count + w] < kSmallest) continue;
            joints.push_back(j);
            values.push_back(static_cast<float>(columns[j * count + w]));
        }
        appendVertex(smooth, joints, values);
    }
    return lowerToHeaviest(smooth, influences);
}

}  // namespace pelt::scenes
