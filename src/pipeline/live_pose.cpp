#include <pelt/core/error.h>
#include <pelt/pipeline/live_pose.h>

#include <algorithm>

#include "pose_free.h"
#include "pose_prepare.h"
#include "pose_rigid.h"
#include "pose_targets.h"

namespace pelt::pipeline {
namespace {

/// Handles that differ in their targets at most.
bool sameHandle(const PoseHandle& a, const PoseHandle& b) {
    return a.kind == b.kind && a.given == b.given && a.joint == b.joint && a.region == b.region &&
           a.point.x == b.point.x && a.point.y == b.point.y && a.point.z == b.point.z && a.byMatrix() == b.byMatrix();
}

}  // namespace

struct LivePoser::State {
    Character character;
    PoseRequest request;
    PoseStart start;
    pose::PoseRig rig;
    bool rigid = false;
    bool skeleton = false;  ///< bones are connected, see hasSkeleton

    std::vector<PoseHandle> handles;
    HandlePlan plan;
    bool held = false;   ///< something is given
    bool moved = false;  ///< since it was solved

    std::optional<pose::Solver<float>> solver;  ///< of the free pose

    // Of rigid joints; they refer to the members above.
    std::optional<PosePart> part;
    std::optional<pose::PoseRig> part_rig;
    std::optional<PoseJob> job;
    std::optional<RigidPoser> joints;
    std::optional<FreePoser> free;  ///< for joints that are not connected
    std::vector<Vec3f> free_skin;
    std::vector<Affine3d> posed;
    pose::SolveResult solved{0, true, 0};

    State(const Character& c, const PoseRequest& r) : character(c), request(r) {}
    void prepareFree(const HandlePlan& next);
    void prepareRigid();
    ClipPose solveFrame(std::size_t frame, PoseResult& result, const Progress& progress);
    double solveRigid();
};

void LivePoser::State::prepareFree(const HandlePlan& next) {
    pose::Solver<float> changed(pose::constrain(rig, next.constraints));
    changed.startFrom(*solver);
    solver = std::move(changed);
}

void LivePoser::State::prepareRigid() {
    joints.reset();
    free.reset();
    part_rig.reset();
    part = skeleton ? std::nullopt : movedPart(character, start, plan, request.rig.energy);
    if (part) part_rig = prepareRig(part->mesh, part->weights, part->joints.size(), request, {});
    job.emplace(PoseJob{character, handles, request, start, plan, part ? &*part : nullptr, part ? *part_rig : rig});
    job->times = {0};
    job->skeleton = skeleton;
    job->rigid = true;
    joints.emplace(*job);
    if (joints->needsFree()) free.emplace(*job);
}

ClipPose LivePoser::State::solveFrame(std::size_t frame, PoseResult& result, const Progress& progress) {
    if (!free) return joints->pose(frame, {}, result);
    free_skin.resize(character.mesh.vertexCount());
    free->solve(frame, result, progress);
    free->positions(free_skin);
    const std::vector<Affine3d> motions = free->joints();
    return joints->pose(frame, {motions, free_skin}, result);
}

/// As if it were the only frame. Returns the largest distance of a handle from its target.
double LivePoser::State::solveRigid() {
    PoseResult result;
    job->times = {frameTimes(handles, request.fps).front()};
    joints->restart();
    posed = solveFrame(0, result, {}).bones;
    return result.missed;
}

LivePoser::LivePoser(const Character& character, const PoseRequest& request, const Progress& progress)
    : state_(std::make_unique<State>(character, request)) {
    State& s = *state_;
    if (s.character.skeleton.joints.empty()) throw Error::badInput("has no joints to pose");
    if (s.character.weights.empty()) throw Error::badInput("has a skeleton but no skin weights; bind it first");
    s.rigid = request.keep_lengths || request.limits.has_value();
    s.start = startOf(s.character, s.request);
    s.skeleton = hasSkeleton(s.character, s.start);
    s.rig = prepareRig(s.start.mesh, s.character.weights, s.character.skeleton.joints.size(), s.request, progress);
    if (!s.rigid) s.solver.emplace(pose::constrain(s.rig, {}));
}

LivePoser::~LivePoser() = default;

void LivePoser::setHandles(std::span<const PoseHandle> handles) {
    State& s = *state_;
    const bool same = std::equal(handles.begin(), handles.end(), s.handles.begin(), s.handles.end(), sameHandle);
    if (!same) {
        HandlePlan plan = planHandles(s.character, s.start, handles, nullptr, {});
        if (!s.rigid) s.prepareFree(plan);
        s.handles.assign(handles.begin(), handles.end());
        s.plan = std::move(plan);
        s.held = !s.plan.constraints.empty();
        s.posed.clear();
        try {
            if (s.rigid) s.prepareRigid();
        } catch (...) {
            s.handles.clear();
            s.held = false;
            throw;
        }
    } else {
        std::copy(handles.begin(), handles.end(), s.handles.begin());  // in place: others refer to them
    }
    s.moved = true;
    if (s.rigid) return;
    const std::vector<double> times = frameTimes(s.handles, s.request.fps);
    setTargets(*s.solver, s.handles, s.plan, s.start, s.plan.constraints.size(), times.front());
}

pose::SolveResult LivePoser::step(int iterations) {
    State& s = *state_;
    if (!s.held) return {0, true, 0};
    if (!s.rigid) return s.solver->solve({iterations, 1e-12, {}});
    if (s.moved) s.solved = {iterations, true, s.solveRigid()};
    s.moved = false;
    return s.solved;
}

Clip LivePoser::clip(const Progress& progress) {
    State& s = *state_;
    if (!s.rigid || !s.held)
        throw Error::badUsage("a clip needs rigid joints (`keep_lengths`) and handles; set them first");
    s.job->times = frameTimes(s.handles, s.request.fps);
    s.joints->restart();
    s.moved = true;  // the next step solves its own frame
    PoseResult result;
    for (std::size_t f = 0; f < s.job->times.size(); ++f) {
        progress.report("pose", double(f) / double(s.job->times.size()));
        s.solveFrame(f, result, progress);
    }
    return s.joints->takeClip();
}

std::vector<Affine3d> LivePoser::bones() const {
    const State& s = *state_;
    if (s.rigid) return s.posed.empty() ? s.start.bones : s.posed;
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
