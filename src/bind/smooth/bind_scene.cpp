// Measures a mesh and its skeleton for the features of candidate joints.
#include "bind_scene.h"

#include <algorithm>
#include <cmath>

#include "bind/skeleton/skin_bones.h"

namespace pelt::bind {
namespace {

/// Joints that no rule about the nearest bone can serve: they move an eye or a piece of a face inside the head.
bool isSmall(JointWord word) { return word == JointWord::eye || word == JointWord::face || word == JointWord::steer; }

/// For the rules: an eye, a brow or a control gets no vertices of its own.
std::vector<SkinChoice> choicesForRules(const std::vector<SkinChoice>& choices, const JointTree& tree) {
    std::vector<SkinChoice> result = choices;
    std::size_t left = 0;
    for (std::size_t j = 0; j < tree.size(); ++j) {
        if (result[j] == SkinChoice::automatic && isSmall(jointWordOf(tree.names[j]))) result[j] = SkinChoice::none;
        left += result[j] != SkinChoice::none;
    }
    return left > 0 ? result : choices;
}

void measureAreas(BindScene& scene) {
    const BindSurface& surface = scene.surface;
    scene.areas.assign(surface.positions.size(), 0);
    for (const Triangle& t : surface.triangles) {
        const Vec3d& a = surface.positions[t[0]];
        const double area = length(cross(surface.positions[t[1]] - a, surface.positions[t[2]] - a)) / 6;
        if (!std::isfinite(area)) continue;
        for (const std::uint32_t v : t) scene.areas[v] += area;
    }
    double total = 0;
    for (const double a : scene.areas) total += a;
    const double least = 1e-9;
    for (double& a : scene.areas) a = total > 0 ? a / total + least : 1.0 / double(scene.areas.size());
}

/// Bones of the rules, and for all other joints the plain ones.
void viewAllBones(BindScene& scene) {
    std::vector<std::vector<BoneView>> of(scene.tree.size());
    for (BoneView& view : scene.labels.views) of[view.segment.joint].push_back(std::move(view));
    std::vector<geometry::BoneSegment> others;
    for (const geometry::BoneSegment& bone : geometry::boneSegments(scene.tree.positions, scene.tree.parents))
        if (of[bone.joint].empty()) others.push_back(bone);
    for (std::size_t j = 0; j < of.size(); ++j) scene.joints[j].gone = of[j].empty();
    for (BoneView& view : viewBones(scene.surface, others)) of[view.segment.joint].push_back(std::move(view));
    scene.labels.views.clear();
    scene.first_view.assign(1, 0);
    for (auto& views : of) {
        for (BoneView& view : views) scene.labels.views.push_back(std::move(view));
        scene.first_view.push_back(scene.labels.views.size());
    }
}

void measureRadii(BindScene& scene) {
    const std::size_t count = scene.tree.size();
    std::vector<double> near(count, 0), seen(count, 0);
    for (std::size_t v = 0; v < scene.areas.size(); ++v) {
        const std::uint32_t j = scene.labels.joints[v];
        double nearest = HUGE_VAL;
        for (std::size_t b = scene.first_view[j]; b < scene.first_view[j + 1]; ++b)
            nearest = std::min(nearest, distanceTo(scene.labels.views[b].segment, scene.surface.positions[v]));
        if (!std::isfinite(nearest)) continue;
        scene.joints[j].region += scene.areas[v];
        near[j] += scene.areas[v] * nearest;
        seen[j] += scene.areas[v];
    }
    for (std::size_t j = 0; j < count; ++j) {
        JointFacts& facts = scene.joints[j];
        for (std::size_t b = scene.first_view[j]; b < scene.first_view[j + 1]; ++b) {
            const BoneView& view = scene.labels.views[b];
            facts.radius = std::max(facts.radius, view.radius);
            facts.length = std::max(facts.length, length(view.segment.end - view.segment.start));
            for (const int w : view.windings) facts.inside |= w > 0;
        }
        if (facts.radius == 0) facts.radius = seen[j] > 0 ? near[j] / seen[j] : 0.02 * scene.surface.diagonal;
        facts.radius = std::max(facts.radius, 2e-3 * scene.surface.diagonal);
    }
}

void measureJoints(BindScene& scene) {
    const JointTree& tree = scene.tree;
    const double same = 1e-3 * scene.surface.diagonal;
    for (std::uint32_t j = 0; j < tree.size(); ++j) {
        JointFacts& facts = scene.joints[j];
        facts.word = jointWordOf(tree.names[j]);
        facts.spacing = scene.surface.diagonal;
        for (std::uint32_t k = 0; k < tree.size(); ++k) {
            const double apart = length(tree.positions[j] - tree.positions[k]);
            if (apart > same)
                facts.spacing = std::min(facts.spacing, apart);
            else
                facts.shares_place |= j != k;
        }
        for (std::int32_t p = tree.parents[j]; p >= 0 && facts.depth < 64; ++facts.depth)
            p = tree.parents[static_cast<std::size_t>(p)];
        const auto& mirror = scene.labels.mirror.joints;
        if (!mirror.empty() && mirror[j] != BindMirror::kNoTwin)
            facts.across = tree.positions[mirror[j]] - tree.positions[j];
        if (tree.parents[j] < 0) continue;
        const geometry::BoneSegment& bone = scene.labels.views[scene.first_view[j]].segment;
        facts.straight = dot(normalized(bone.end - bone.start),
                             normalized(bone.start - tree.positions[static_cast<std::size_t>(tree.parents[j])]));
    }
}

void measurePieces(BindScene& scene) {
    const BindSurface& surface = scene.surface;
    std::vector<geometry::Box> boxes(surface.parts.count, geometry::Box::none());
    std::vector<double> areas(surface.parts.count, 0);
    scene.pieces.resize(surface.parts.count);
    std::vector<std::vector<std::pair<std::uint32_t, double>>> shares(surface.parts.count);
    for (std::size_t v = 0; v < surface.positions.size(); ++v) {
        const std::uint32_t p = surface.parts.part[v];
        if (isFinite(surface.positions[v])) boxes[p].grow(surface.positions[v]);
        areas[p] += scene.areas[v];
        auto& found = shares[p];
        const auto at = std::find_if(found.begin(), found.end(),
                                     [&](const auto& entry) { return entry.first == scene.labels.joints[v]; });
        if (at == found.end())
            found.emplace_back(scene.labels.joints[v], scene.areas[v]);
        else
            at->second += scene.areas[v];
    }
    for (std::size_t p = 0; p < boxes.size(); ++p) {
        PieceFacts& piece = scene.pieces[p];
        piece.center = boxes[p].center();
        piece.size = boxes[p].diagonal();
        for (const auto& [joint, area] : shares[p])
            piece.shares.emplace_back(joint, static_cast<float>(area / areas[p]));
    }
}

}  // namespace

BindScene bindScene(const Mesh& mesh, const Skeleton& skeleton, const BindOptions& options, const Progress& progress) {
    DistinctJoints distinct = distinctJoints(skeleton);
    std::vector<SkinChoice> choices = distinct.choices(skeleton, options);
    BindSurface surface = bindSurface(mesh);
    const double same = 1e-3 * surface.diagonal;
    JointTree tree = jointTree(distinct.skeleton, same);
    BindScene scene{
        std::move(surface), std::move(distinct), std::move(choices), std::move(tree), {}, {}, {}, {}, {}, {}};
    const auto bones = [&](const std::vector<SkinChoice>& which) {
        return skinBones(scene.distinct.skeleton, scene.surface.tree, scene.surface.diagonal, which);
    };
    auto found = bones(choicesForRules(scene.choices, scene.tree));
    if (found.empty()) found = bones(scene.choices);
    if (found.empty()) return scene;
    scene.labels = labelBySight(scene.surface, scene.distinct.skeleton, found, progress);
    scene.joints.resize(scene.tree.size());
    measureAreas(scene);
    viewAllBones(scene);
    measureRadii(scene);
    measureJoints(scene);
    measurePieces(scene);
    scene.graph = reachGraph(scene.surface);
    return scene;
}

}  // namespace pelt::bind
