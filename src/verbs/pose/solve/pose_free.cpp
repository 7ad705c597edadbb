// Poses unconnected joints by affine transforms.
#include "pose_free.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_sphere.h>

#include <algorithm>
#include <cmath>

#include "pose_targets.h"

namespace pelt::verbs {
namespace {

constexpr double kAgree = 1e-6;  ///< relative to the diagonal: constraints farther apart contradict each other
constexpr int kFirstFrame = 10000, kLaterFrames = 3000;  ///< iterations: the first frame starts far from its solution
constexpr int kToCompare = 200;                          ///< of a free pose that is only used for comparison
constexpr int kStretch = 100;                            ///< iterations between two convergence checks
constexpr double kSettled = 1e-6;  ///< relative decrease of the energy between two checks: converged if less

/// Joints without skin share the constraint of the joint they move with: the first handle counts.
HandlePlan withoutDoubled(const HandlePlan& plan) {
    HandlePlan kept = plan;
    kept.constraints.clear();
    kept.handle_of.clear();
    for (std::size_t i = 0; i < plan.constraints.size(); ++i) {
        const bool there = std::any_of(kept.constraints.begin(), kept.constraints.end(),
                                       [&](const auto& c) { return c.handle == plan.constraints[i].handle; });
        if (there) continue;
        kept.constraints.push_back(plan.constraints[i]);
        kept.handle_of.push_back(plan.handle_of[i]);
    }
    return kept;
}

HandlePlan solvedPlan(const PoseJob& job) {
    HandlePlan plan = job.plan;
    plan.constraints = constraintsOn(job.part, plan.constraints);
    return job.rigid && job.byJoints() ? withoutDoubled(plan) : plan;
}

}  // namespace

FreePoser::FreePoser(const PoseJob& job)
    : job_(job),
      solved_(solvedPlan(job)),
      solver_(pose::constrain(job.rig, solved_.constraints)),
      transforms_(job.rig.handleCount() + job.rig.extraCount()) {
    solver_.setPlane(job.plane ? &*job.plane : nullptr);
}

void FreePoser::setTargets(pose::Solver<double>& solver, std::size_t constraints, double time) const {
    verbs::setTargets(solver, job_.handles, solved_, job_.start, constraints, time);
}

/// Reports the first handle that contradicts those before it.
void FreePoser::refuseConflicts(double time) const {
    const double close = kAgree * geometry::boundingDiagonal(job_.start.mesh.positions);
    if (!(solver_.conflict() > close)) return;
    std::size_t count = 1;
    for (; count < solved_.constraints.size(); ++count) {
        pose::Solver<double> part(pose::constrain(job_.rig, std::span(solved_.constraints).first(count)));
        setTargets(part, count, time);
        if (part.conflict() > close) break;
    }
    const std::size_t h = solved_.handle_of[count - 1];
    throw Error::badInput({"", nameOf(job_.handles[h], h)},
                          "contradicts the handles before it: the rig cannot reach all targets together; free one "
                          "handle, or add weight functions (`extra_weights`)");
}

void FreePoser::solve(std::size_t frame, PoseResult& result, const Progress& progress) {
    setTargets(solver_, solved_.constraints.size(), job_.times[frame]);
    if (!(job_.rigid && job_.byJoints())) refuseConflicts(job_.times[frame]);
    if (frame == 0) solver_.reset();
    const int enough = job_.rigid ? kToCompare : frame == 0 ? kFirstFrame : kLaterFrames;
    const int limit = job_.request.iterations.value_or(enough);
    std::vector<double>& energies = result.energies;
    energies.clear();
    bool converged = false;
    while (!converged && int(energies.size()) < limit) {
        progress.report("pose", double(frame) / double(job_.times.size()));
        const std::size_t done = energies.size();
        const int stretch = std::min(kStretch, limit - int(done));
        energies.resize(done + std::size_t(stretch));
        const pose::SolveResult found = solver_.solve({stretch, 1e-15, std::span(energies).subspan(done)});
        energies.resize(done + std::size_t(found.iterations));
        const double before = done > 0 ? energies[done - 1] : HUGE_VAL;
        converged = found.converged || (!job_.request.iterations && before - found.energy <= kSettled * found.energy);
    }
    result.converged = result.converged && converged;
    result.frame_energies.push_back(energies.back());
    solver_.transforms(transforms_);
}

/// Joints without weight move with the joint that carries them.
std::vector<Affine3d> FreePoser::joints() const {
    std::vector<Affine3d> joints;
    for (const std::uint32_t carrier : job_.plan.carrier) {
        const std::int32_t place = job_.part ? job_.part->joint_place[carrier] : std::int32_t(carrier);
        joints.push_back(place < 0 ? Affine3d() : transforms_[std::size_t(place)]);
    }
    return joints;
}

void FreePoser::positions(std::span<Vec3f> out) const {
    std::vector<Vec3d> exact(job_.part ? job_.part->vertices.size() : out.size());
    pose::evaluate(job_.rig, transforms_, exact);
    if (job_.part) std::copy(job_.start.mesh.positions.begin(), job_.start.mesh.positions.end(), out.begin());
    for (std::size_t i = 0; i < exact.size(); ++i) out[job_.part ? job_.part->vertices[i] : i] = Vec3f(exact[i]);
}

}  // namespace pelt::verbs
