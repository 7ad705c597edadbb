#include <pelt/core/error.h>
#include <pelt/pipeline/live_pose.h>

#include "pose_prepare.h"
#include "pose_targets.h"

namespace pelt::pipeline {
namespace {

bool sameConstraint(const pose::Constraint& a, const pose::Constraint& b) {
    return a.kind == b.kind && a.handle == b.handle && a.point.x == b.point.x && a.point.y == b.point.y &&
           a.point.z == b.point.z && a.vertices == b.vertices;
}

bool sameConstraints(const HandlePlan& a, const HandlePlan& b) {
    return std::equal(a.constraints.begin(), a.constraints.end(), b.constraints.begin(), b.constraints.end(),
                      sameConstraint);
}

}  // namespace

struct LivePoser::State {
    Character character;
    PoseRequest request;
    PoseStart start;
    pose::PoseRig rig;
    HandlePlan plan;
    std::optional<pose::Solver<float>> solver;
    bool held = false;  ///< something is given

    explicit State(const Character& c) : character(c) {}
};

LivePoser::LivePoser(const Character& character, const pose::RigOptions& options, const Progress& progress)
    : state_(std::make_unique<State>(character)) {
    State& s = *state_;
    if (s.character.skeleton.joints.empty()) throw Error::badInput("has no joints to pose");
    if (s.character.weights.empty()) throw Error::badInput("has a skeleton but no skin weights; bind it first");
    s.request.rig = options;
    s.start = startOf(s.character, s.request);
    s.rig = prepareRig(s.start.mesh, s.character.weights, s.character.skeleton.joints.size(), s.request, progress);
    s.solver.emplace(pose::constrain(s.rig, {}));
}

LivePoser::~LivePoser() = default;

void LivePoser::setHandles(std::span<const PoseHandle> handles) {
    State& s = *state_;
    checkHandles(s.character, handles);
    HandlePlan plan = planHandles(s.character, s.start, handles, nullptr, {});
    if (!sameConstraints(plan, s.plan)) {
        pose::Solver<float> next(pose::constrain(s.rig, plan.constraints));
        next.startFrom(*s.solver);
        s.solver = std::move(next);
    }
    s.plan = std::move(plan);
    s.held = !s.plan.constraints.empty();
    const std::vector<double> times = frameTimes(handles, s.request.fps);
    setTargets(*s.solver, handles, s.plan, s.start, s.plan.constraints.size(), times.front());
}

pose::SolveResult LivePoser::step(int iterations) {
    if (!state_->held) return {0, true, 0};
    return state_->solver->solve({iterations, 1e-12, {}});
}

std::vector<Affine3d> LivePoser::bones() const {
    const State& s = *state_;
    std::vector<Affine3f> solved(s.rig.handleCount() + s.rig.extraCount());
    s.solver->transforms(solved);
    std::vector<Affine3d> bones;
    for (std::size_t j = 0; j < s.start.bones.size(); ++j) {
        const std::uint32_t carrier = s.held ? s.plan.carrier[j] : std::uint32_t(j);
        bones.push_back(s.held ? Affine3d(solved[carrier]) * s.start.bones[j] : s.start.bones[j]);
    }
    return bones;
}

}  // namespace pelt::pipeline
