// Improves a pose by deforming every vertex as rigidly as possible.
#include "pose_unreduced.h"

#include <pelt/core/error.h>
#include <pelt/pose/arap.h>

namespace pelt::verbs {
namespace {

constexpr int kUnreduced = 200;
constexpr float kHeld = 0.99f;  ///< a vertex with this much weight on a held joint is held

}  // namespace

Unreduced::Unreduced(const PoseJob& job) : job_(job) {
    const Mesh& standing = job.start.mesh;
    const SkinWeights& weights = job.character.weights;
    const HandlePlan& plan = job.plan;
    if (job.request.rig.energy == pose::Energy::tets)
        throw Error::badUsage("`unreduced` does not support the energy tets; choose another");
    weld_ = geometry::weldByPosition(standing, job.request.rig.weld);
    triangles_ = geometry::weldedTriangles(standing.triangles, weld_);
    held_.assign(weld_.count(), 0);
    std::vector<char> given(plan.carrier.size(), 0);
    for (const pose::Constraint& c : plan.constraints) {
        for (const std::uint32_t v : c.vertices) held_[weld_.welded[v]] = 1;
        if (c.kind != pose::ConstraintKind::vertices) given[c.handle] = 1;
    }
    for (std::size_t w = 0; w < weld_.count(); ++w) {
        const std::uint32_t v = weld_.representative[w];
        rest_.emplace_back(standing.positions[v]);
        if (weights.weightsOf(v)[0] > kHeld && given[weights.jointsOf(v)[0]]) held_[w] = 1;
    }
}

void Unreduced::apply(std::span<Vec3f> posed, std::vector<double>& energies, const Progress& progress) const {
    std::vector<Vec3d> start;
    std::vector<pose::FixedVertex> fixed;
    for (std::uint32_t w = 0; w < weld_.count(); ++w) {
        start.emplace_back(posed[weld_.representative[w]]);
        if (held_[w]) fixed.push_back({w, start.back()});
    }
    const pose::ArapResult found = pose::arap({rest_, triangles_, {}, job_.plane}, job_.request.rig.energy, fixed,
                                              start, job_.request.iterations.value_or(kUnreduced), progress);
    energies = found.energies;
    for (std::size_t v = 0; v < posed.size(); ++v) posed[v] = Vec3f(found.positions[weld_.welded[v]]);
}

}  // namespace pelt::verbs
