// Smooth weights: measure the character, let the network judge candidate joints, make the rows fit the whole.
#include <pelt/bind/smooth_bind.h>
#include <pelt/core/error.h>

#include <algorithm>

#include "soft_rows.h"

namespace pelt::bind {
namespace {

constexpr double kMachine = 0.5;   // of the surface in rigid pieces
constexpr int kMachinePieces = 6;  // at least
constexpr int kBlends = 2;

/// Robots and vehicles: the rules know better which piece moves with which joint.
bool isMachine(const BindScene& scene) {
    double area = 0;
    int count = 0;
    for (const Piece& piece : scene.labels.pieces) {
        if (!piece.isRigid()) continue;
        area += piece.area;
        ++count;
    }
    return count >= kMachinePieces && area > kMachine;
}

float confidenceOf(const BindScene& scene, const SoftRow& row) {
    const auto best = static_cast<std::int32_t>(row[0].first);
    float sum = 0;
    for (const auto& [joint, weight] : row) {
        const bool near = joint == row[0].first || scene.tree.parents[joint] == best ||
                          scene.tree.parents[row[0].first] == static_cast<std::int32_t>(joint);
        if (near) sum += weight;
    }
    return std::min(sum, 1.0f);
}

}  // namespace

SmoothBind bindSmooth(const Mesh& mesh, const Skeleton& skeleton, std::size_t influences, const BindOptions& options,
                      const Progress& progress) {
    if (skeleton.joints.empty()) throw Error::badInput("the skeleton has no joint to bind the mesh to");
    const BindScene scene = bindScene(mesh, skeleton, options, progress);
    if (!scene.known() || isMachine(scene))
        return {bindNearestBone(mesh, skeleton, options, progress), std::vector<float>(mesh.vertexCount(), 1.0f), true};
    std::vector<SoftRow> rows = expectedRows(scene, progress);
    mirrorRows(scene, rows);
    SmoothBind bind;
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v)
        bind.confidence.push_back(confidenceOf(scene, rows[scene.surface.weld.welded[v]]));
    blendRows(scene, kBlends, rows);
    settleRows(scene, rows);
    sharpenRows(rows);
    std::vector<std::uint32_t> joints;
    std::vector<float> weights;
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
        joints.clear();
        weights.clear();
        for (const auto& [joint, weight] : rows[scene.surface.weld.welded[v]]) {
            joints.push_back(scene.distinct.slots[joint]);
            weights.push_back(weight);
        }
        appendVertex(bind.weights, joints, weights);
    }
    bind.weights = withoutSmall(lowerToHeaviest(bind.weights, influences));
    progress.report("bind", 1);
    return bind;
}

}  // namespace pelt::bind
