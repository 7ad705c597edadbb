// Improves a pose by deforming every vertex, or every point of a lattice around them, as rigidly as possible.
#include "pose_unreduced.h"

#include <pelt/pose/arap.h>
#include <pelt/runtime/rotation.h>

#include <algorithm>

namespace pelt::verbs {
namespace {

constexpr int kUnreduced = 200;
constexpr float kHeld = 0.99f;  ///< a vertex with this much weight on a held joint is held

/// The rigid motion that best takes the listed vertices from rest to their pose.
Affine3d motionOf(std::span<const Vec3f> rest, std::span<const Vec3f> posed,
                  const std::vector<std::uint32_t>& vertices) {
    Vec3d from, to;
    for (const std::uint32_t v : vertices) {
        from += Vec3d(rest[v]) / double(vertices.size());
        to += Vec3d(posed[v]) / double(vertices.size());
    }
    Mat3d sum{{Vec3d{}, Vec3d{}, Vec3d{}}};
    for (const std::uint32_t v : vertices) {
        const Vec3d p = Vec3d(rest[v]) - from, q = Vec3d(posed[v]) - to;
        for (int c = 0; c < 3; ++c) sum.col[c] += q * p[c];
    }
    const Mat3d turn = runtime::nearestRotation(sum).rotation;
    return {turn, to - turn * from};
}

}  // namespace

Unreduced::Unreduced(const PoseJob& job, const Progress& progress) : job_(job) {
    const Mesh& standing = job.start.mesh;
    weld_ = geometry::weldByPosition(standing, job.request.rig.weld);
    triangles_ = geometry::weldedTriangles(standing.triangles, weld_);
    held_ = findHeld();
    if (job.request.rig.energy == pose::Energy::tets) {
        volume_ = geometry::embedInTets(standing, {}, progress);
        rest_ = volume_.lattice.positions;
    } else {
        for (const std::uint32_t v : weld_.representative) rest_.emplace_back(standing.positions[v]);
    }
}

Unreduced::HeldTogether Unreduced::findHeld() const {
    const SkinWeights& weights = job_.character.weights;
    const HandlePlan& plan = job_.plan;
    HeldTogether held(plan.carrier.size());
    std::vector<char> given(plan.carrier.size(), 0);
    for (const pose::Constraint& c : plan.constraints) {
        for (const std::uint32_t v : c.vertices) held.push_back({v});
        if (c.kind != pose::ConstraintKind::vertices) given[c.handle] = 1;
    }
    for (const std::uint32_t v : weld_.representative) {
        const std::uint32_t joint = weights.jointsOf(v)[0];
        if (weights.weightsOf(v)[0] > kHeld && given[joint]) held[joint].push_back(v);
    }
    std::erase_if(held, [](const auto& together) { return together.empty(); });
    return held;
}

void Unreduced::apply(std::span<Vec3f> posed, std::vector<double>& energies, const Progress& progress) const {
    if (volume_.tet.empty())
        applyToSurface(posed, energies, progress);
    else
        applyToVolume(posed, energies, progress);
}

void Unreduced::applyToSurface(std::span<Vec3f> posed, std::vector<double>& energies, const Progress& progress) const {
    std::vector<Vec3d> start;
    for (const std::uint32_t v : weld_.representative) start.emplace_back(posed[v]);
    std::vector<char> taken(rest_.size(), 0);
    std::vector<pose::FixedVertex> fixed;
    for (const auto& together : held_)
        for (const std::uint32_t v : together) {
            const std::uint32_t w = weld_.welded[v];
            if (!taken[w]) fixed.push_back({w, start[w]});
            taken[w] = 1;
        }
    const pose::ArapResult found = pose::arap({rest_, triangles_, {}, job_.plane}, job_.request.rig.energy, fixed,
                                              start, job_.request.iterations.value_or(kUnreduced), progress);
    energies = found.energies;
    for (std::size_t v = 0; v < posed.size(); ++v) posed[v] = Vec3f(found.positions[weld_.welded[v]]);
}

/// The lattice as the skin in it has moved: points near the skin by the mean of its vertices there, the others by the
/// mean of their neighbors.
std::vector<Vec3d> Unreduced::latticeAt(std::span<const Vec3f> posed) const {
    std::vector<Vec3d> moved(rest_.size());
    std::vector<double> share(rest_.size(), 0);
    for (std::size_t v = 0; v < posed.size(); ++v)
        for (std::size_t c = 0; c < 4; ++c) {
            const std::uint32_t point = volume_.lattice.tets[volume_.tet[v]][c];
            const double w = 0.01 + volume_.barycentric[v][c];
            moved[point] += (Vec3d(posed[v]) - Vec3d(job_.start.mesh.positions[v])) * w;
            share[point] += w;
        }
    for (std::size_t i = 0; i < rest_.size(); ++i)
        if (share[i] > 0) moved[i] = moved[i] / share[i];
    for (bool again = true; again;) {
        again = false;
        std::vector<Vec3d> sum(rest_.size());
        std::vector<double> known(rest_.size(), 0);
        for (const Tet& tet : volume_.lattice.tets)
            for (const std::uint32_t i : tet)
                for (const std::uint32_t other : tet)
                    if (share[i] == 0 && share[other] > 0) {
                        sum[i] += moved[other];
                        known[i] += 1;
                    }
        for (std::size_t i = 0; i < rest_.size(); ++i) {
            if (known[i] == 0) continue;
            moved[i] = sum[i] / known[i];
            share[i] = 1;
            again = true;
        }
    }
    for (std::size_t i = 0; i < rest_.size(); ++i) moved[i] += rest_[i];
    return moved;
}

void Unreduced::applyToVolume(std::span<Vec3f> posed, std::vector<double>& energies, const Progress& progress) const {
    std::vector<Vec3d> start = latticeAt(posed);
    std::vector<char> taken(rest_.size(), 0);
    std::vector<pose::FixedVertex> fixed;
    for (const auto& together : held_) {
        const Affine3d motion = motionOf(job_.start.mesh.positions, posed, together);
        for (const std::uint32_t v : together)
            for (const std::uint32_t i : volume_.lattice.tets[volume_.tet[v]]) {
                if (!taken[i]) fixed.push_back({i, motion * rest_[i]});
                taken[i] = 1;
            }
    }
    const pose::ArapResult found = pose::arap({rest_, {}, volume_.lattice.tets, {}}, pose::Energy::tets, fixed, start,
                                              job_.request.iterations.value_or(kUnreduced), progress);
    energies = found.energies;
    for (std::size_t v = 0; v < posed.size(); ++v) {
        Vec3d at;
        for (std::size_t c = 0; c < 4; ++c)
            at += found.positions[volume_.lattice.tets[volume_.tet[v]][c]] * volume_.barycentric[v][c];
        posed[v] = Vec3f(at);
    }
}

}  // namespace pelt::verbs
