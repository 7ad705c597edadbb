#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/adjacency.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/weld.h>
#include <pelt/pipeline/pose.h>
#include <pelt/pipeline/sampling.h>
#include <pelt/pose/rigid_joints.h>

#include <algorithm>
#include <cmath>

#include "pose_clip.h"
#include "pose_handles.h"
#include "pose_prepare.h"
#include "pose_skeleton.h"
#include "pose_unreduced.h"

namespace pelt::pipeline {
namespace {

constexpr std::size_t kGrain = 2048;
constexpr double kAgree = 1e-6;  ///< of the diagonal: constraints farther apart contradict each other
constexpr int kFirstFrame = 10000, kLaterFrames = 3000;  ///< iterations: the first starts far away
constexpr int kToCompare = 200;                          ///< of a free pose that is only compared with
using Given = PoseHandle::Given;
constexpr int kStretch = 100;      ///< iterations between two looks at whether to stop
constexpr double kSettled = 1e-6;  ///< of the energy: a frame that gains less in a stretch has settled

void setTargets(pose::Solver<double>& solver, std::span<const PoseHandle> handles, const HandlePlan& plan,
                const PoseStart& start, double time) {
    for (std::size_t i = 0; i < plan.constraints.size(); ++i) {
        const std::size_t h = plan.handle_of[i];
        const pose::ConstraintKind kind = plan.constraints[i].kind;
        if (kind == pose::ConstraintKind::transform || kind == pose::ConstraintKind::turn) {
            solver.setTransform(i, motionAt(handles[h], plan.held[h], start.file_bones[*plan.joint_of[h]], time));
        } else {
            solver.setTarget(i, placeAt(handles[h], plan.held[h], time));
        }
    }
}

/// The first handle that contradicts those before it.
[[noreturn]] void refuseConflict(const pose::PoseRig& rig, std::span<const PoseHandle> handles, const HandlePlan& plan,
                                 const PoseStart& start, double time, double close) {
    std::size_t count = 1;
    for (; count < plan.constraints.size(); ++count) {
        HandlePlan part = plan;
        part.constraints.resize(count);
        pose::Solver<double> solver(pose::constrain(rig, part.constraints));
        setTargets(solver, handles, part, start, time);
        if (solver.conflict() > close) break;
    }
    throw Error::badInput({"", nameOf(handles[plan.handle_of[count - 1]], plan.handle_of[count - 1])},
                          "contradicts the handles before it: the rig cannot take them where they should all be; free "
                          "one, or give the rig more room (`extra_weights`)");
}

/// Joints without weight go with the one that carries them.
std::vector<Affine3d> jointTransforms(std::span<const Affine3d> solved, const HandlePlan& plan) {
    std::vector<Affine3d> joints;
    for (const std::uint32_t carrier : plan.carrier) joints.push_back(solved[carrier]);
    return joints;
}

/// For loose joints: their targets, to fit them to the posed skin.
pose::RigidOptions rigidOptions(std::span<const PoseHandle> handles, const HandlePlan& plan, const PoseStart& start,
                                const PoseRequest& request, double time) {
    pose::RigidOptions options;
    options.limits = request.limits;
    for (const std::size_t h : plan.handle_of) {
        if (!plan.joint_of[h] || handles[h].given == Given::rotation) continue;
        const auto joint = std::uint32_t(*plan.joint_of[h]);
        const Vec3d target = motionAt(handles[h], plan.held[h], start.file_bones[joint], time) * plan.held[h];
        options.targets.push_back({joint, target, handles[h].given != Given::position});
    }
    return options;
}

/// Where handles start, where they should be and where they are; `motions` as PoseClip takes them.
std::vector<HandlePlace> placesOf(std::span<const PoseHandle> handles, const HandlePlan& plan, const PoseStart& start,
                                  std::span<const Affine3d> motions, double time) {
    const SkinWeights& weights = start.standing.weights;
    std::vector<HandlePlace> places;
    for (std::size_t i = 0; i < plan.constraints.size(); ++i) {
        const std::size_t h = plan.handle_of[i];
        if (handles[h].given == Given::rotation) continue;
        HandlePlace place{h, plan.held[h], {}, {}};
        if (plan.joint_of[h]) {
            const std::size_t j = *plan.joint_of[h];
            place.target = motionAt(handles[h], plan.held[h], start.file_bones[j], time) * plan.held[h];
            place.posed = motions[j] * plan.held[h];
        } else {
            const auto& vertices = plan.constraints[i].vertices;
            for (const std::uint32_t v : vertices)
                for (std::size_t k = 0; k < weights.influenceCount(v); ++k) {
                    const std::size_t j = weights.jointsOf(v)[k];
                    const Vec3d moved = motions[j] * (start.bones[j] * Vec3d(start.rest[v]));
                    place.posed += moved * (double(weights.weightsOf(v)[k]) / double(vertices.size()));
                }
            place.target = placeAt(handles[h], plan.held[h], time);
        }
        places.push_back(place);
    }
    return places;
}

/// Handles of joints that say where they go without a matrix: a skeleton can follow them.
bool byJoints(std::span<const PoseHandle> handles) {
    return std::all_of(handles.begin(), handles.end(), [](const PoseHandle& h) {
        return h.given == Given::free || (h.kind == PoseHandle::Kind::joint && !h.byMatrix());
    });
}

bool keepsLengths(std::span<const PoseHandle> handles, const PoseRequest& request, bool skeleton) {
    if (request.keep_lengths || request.limits) return true;
    return skeleton && byJoints(handles) && !request.free && !request.unreduced && request.rig.extra_weights == 0;
}

/// Joints without skin share the constraint of the one they go with: the first that names it stands.
void dropDoubled(HandlePlan& plan) {
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
    plan = std::move(kept);
}

/// Vertices of a frame by a deformer; there is none where the free pose is wanted as it is.
class FrameWriter {
public:
    FrameWriter(const Character& character, const PoseStart& start, const PoseRequest& request, bool rigid,
                const Progress& progress)
        : start_(start), morphed_(!character.mesh.morphs.empty()) {
        const Method& method = findMethod(request.method);
        if (rigid || !method.traits.linear) deformer_ = method.prepare(character, request.method_options, progress);
    }
    bool isFree() const { return !deformer_; }
    /// `bones` take rest space to the pose.
    void write(std::span<const Affine3d> bones, std::span<Vec3f> out) {
        bones_.clear();
        for (const Affine3d& bone : bones) bones_.emplace_back(bone);
        deformer_->setPose(bones_);
        const deform::RestShape rest{morphed_ ? std::span<const Vec3f>(start_.rest) : std::span<const Vec3f>(), {}};
        parallelFor(out.size(), kGrain, [&](std::size_t first, std::size_t last) {
            deformer_->evaluate(rest, first, last - first, {out, {}});
        });
    }

private:
    const PoseStart& start_;
    bool morphed_ = false;
    std::unique_ptr<Deformer> deformer_;
    std::vector<Affine3f> bones_;
};

/// A character that got joints or weights for its handles.
void adoptJoints(Character& character, PoseStart& start) {
    if (character.skeleton.joints.empty()) {
        character.skeleton = start.standing.skeleton;
        start.locals = rig::sampleLocals(character.skeleton, nullptr, 0);
        start.worlds.resize(start.locals.size());
        rig::worldTransforms(character.skeleton, start.locals, start.worlds);
        start.bones.assign(character.skeleton.joints.size(), Affine3d());
        start.file_bones = start.bones;
    }
    if (character.weights.empty()) character.weights = start.standing.weights;
}

/// One of result.frames, from where the last one ended. The energies are those of this frame.
void solveFrame(pose::Solver<double>& solver, std::optional<int> iterations, std::size_t frame, PoseResult& result,
                const Progress& progress) {
    const int enough = result.rigid ? kToCompare : frame == 0 ? kFirstFrame : kLaterFrames;
    const int limit = iterations.value_or(enough);
    result.energies.clear();
    bool converged = false;
    while (!converged && int(result.energies.size()) < limit) {
        progress.report("pose", double(frame) / double(result.frames));
        const std::size_t done = result.energies.size();
        const int stretch = std::min(kStretch, limit - int(done));
        result.energies.resize(done + std::size_t(stretch));
        const pose::SolveResult found = solver.solve({stretch, 1e-15, std::span(result.energies).subspan(done)});
        result.energies.resize(done + std::size_t(found.iterations));
        const double before = done > 0 ? result.energies[done - 1] : HUGE_VAL;
        converged = found.converged || (!iterations && before - found.energy <= kSettled * found.energy);
    }
    result.converged = result.converged && converged;
    result.frame_energies.push_back(result.energies.back());
}

/// Everything that frames share.
struct PoseJob {
    const Character& character;
    std::span<const PoseHandle> handles;
    const PoseRequest& request;
    const PoseStart& start;
    const HandlePlan& plan;
    const pose::PoseRig& rig;
    const Progress& progress;
    PoseClip clip{character, start};
    std::vector<Vec3f> free_positions{};  ///< where the sequence is made of something else

    PoseResult run(bool skeleton);

private:
    /// A frame of the free pose; gives its joints.
    std::vector<Affine3d> poseFree(pose::Solver<double>& solver, const HandlePlan& solved, std::size_t frame,
                                   double time, PoseResult& result, std::span<Vec3f> out) const;
    void refuseConflicts(const pose::Solver<double>& solver, const HandlePlan& solved, double time) const;
};

void PoseJob::refuseConflicts(const pose::Solver<double>& solver, const HandlePlan& solved, double time) const {
    const double close = kAgree * geometry::boundingDiagonal(start.standing.mesh.positions);
    if (solver.conflict() > close) refuseConflict(rig, handles, solved, start, time, close);
}

std::vector<Affine3d> PoseJob::poseFree(pose::Solver<double>& solver, const HandlePlan& solved, std::size_t frame,
                                        double time, PoseResult& result, std::span<Vec3f> out) const {
    setTargets(solver, handles, solved, start, time);
    if (!(result.rigid && byJoints(handles))) refuseConflicts(solver, solved, time);
    if (frame == 0) solver.reset();
    solveFrame(solver, request.iterations, frame, result, progress);
    std::vector<Affine3d> transforms(rig.handleCount() + rig.extraCount());
    solver.transforms(transforms);
    std::vector<Vec3d> positions(out.size());
    pose::evaluate(rig, transforms, positions);
    std::transform(positions.begin(), positions.end(), out.begin(), [](const Vec3d& p) { return Vec3f(p); });
    return jointTransforms(transforms, plan);
}

PoseResult PoseJob::run(bool skeleton) {
    PoseResult result;
    const std::vector<double> times = frameTimes(handles, request.fps);
    result.rigid = keepsLengths(handles, request, skeleton);
    result.vertices = character.mesh.vertexCount();
    result.frames = times.size();
    result.positions.resize(result.vertices * times.size());
    HandlePlan solved = plan;
    if (result.rigid && byJoints(handles)) dropDoubled(solved);
    pose::Solver<double> solver(pose::constrain(rig, solved.constraints));
    FrameWriter frames(character, start, request, result.rigid, progress);
    std::optional<SkeletonPoser> poser;
    if (skeleton) poser.emplace(character, start, handles, plan, request, rig);
    std::optional<Unreduced> unreduced;
    if (request.unreduced) unreduced.emplace(start.standing, plan, request);
    if (!frames.isFree()) free_positions.resize(result.positions.size());
    for (std::size_t f = 0; f < times.size(); ++f) {
        const auto frame = std::span(result.positions).subspan(f * result.vertices, result.vertices);
        std::vector<Affine3d> joints = poseFree(solver, solved, f, times[f], result, frame);
        if (!frames.isFree())
            std::copy(frame.begin(), frame.end(), free_positions.begin() + std::ptrdiff_t(f * result.vertices));
        const std::vector<Affine3d> motions =
            poser ? poser->poseAt(times[f])
                  : pose::rigidJoints(start.standing.skeleton,
                                      {start.standing.mesh.positions, frame, &start.standing.weights}, joints,
                                      rigidOptions(handles, plan, start, request, times[f]));
        result.places = placesOf(handles, plan, start, motions, times[f]);
        for (const HandlePlace& place : result.places) result.missed = std::max(result.missed, place.missed());
        const std::vector<Affine3d> bones = clip.add(times[f], motions);
        for (std::size_t j = 0; j < joints.size(); ++j) joints[j] = joints[j] * start.bones[j];
        if (!frames.isFree()) frames.write(result.rigid ? bones : joints, frame);
        if (unreduced) {
            unreduced->apply(frame, result.energies, progress);
            result.frame_energies.back() = result.energies.back();
        }
    }
    return result;
}

/// How far the clip, as any viewer plays it, is from the exact pose.
geometry::SequenceError measureClip(const PoseResult& result, std::span<const Vec3f> exact_positions, double fps) {
    Sampling sampling;
    sampling.fps = fps;
    Character character = result.character;
    character.ddm = nullptr;
    character.props = {};
    const auto played = sampleCharacter(std::move(character), sampling, findMethod("lbs"));
    const auto exact = makeSequence({exact_positions.begin(), exact_positions.end()}, result.vertices);
    return geometry::compareSequences(*played, *exact, result.character.mesh.positions);
}

}  // namespace

pose::Energy energyFor(const Character& character) {
    const std::size_t joints = character.skeleton.joints.size();
    if (character.weights.empty()) return pose::Energy::spokes_and_rims;  // those that are made join all pieces
    const geometry::Weld weld = geometry::weldByPosition(character.mesh);
    const auto triangles = geometry::weldedTriangles(character.mesh.triangles, weld);
    const geometry::ConnectedParts parts = geometry::connectedParts(geometry::vertexAdjacency(triangles, weld.count()));
    // Joints and pieces as one graph, an edge for each weight.
    std::vector<Triangle> edges;
    for (std::size_t v = 0; v < character.mesh.vertexCount(); ++v)
        for (const std::uint32_t j : character.weights.jointsOf(v)) {
            const auto piece = std::uint32_t(joints + parts.part[weld.welded[v]]);
            edges.push_back({j, piece, piece});
        }
    const geometry::ConnectedParts groups =
        geometry::connectedParts(geometry::vertexAdjacency(edges, joints + parts.count));
    const std::uint32_t first = edges.empty() ? 0 : groups.part[edges.front()[0]];
    const bool one =
        std::all_of(edges.begin(), edges.end(), [&](const Triangle& edge) { return groups.part[edge[0]] == first; });
    return one || geometry::isFlat(character.mesh.positions) ? pose::Energy::spokes_and_rims : pose::Energy::tets;
}

PoseResult poseCharacter(Character character, std::span<const PoseHandle> handles, const PoseRequest& request,
                         const Progress& progress) {
    findMethod(request.method);
    PoseStart start = startOf(character, request);
    HandlePlan plan = planHandles(start.standing, handles, request.cache, progress);
    const bool skeleton = hasSkeleton(character, start);
    adoptJoints(character, start);
    const pose::PoseRig rig = prepareRig(start.standing, request, progress);
    PoseJob job{character, handles, request, start, plan, rig, progress};
    PoseResult result = job.run(skeleton);
    result.handles = rig.handleCount();
    result.extra_weights = rig.extraCount();
    result.clusters = rig.clusterCount();
    Clip clip = job.clip.take();
    result.character = std::move(character);
    // First, so that it is what plays; the others stay.
    result.character.clips.insert(result.character.clips.begin(), std::move(clip));
    result.clip_error =
        measureClip(result, job.free_positions.empty() ? result.positions : job.free_positions, request.fps);
    return result;
}

}  // namespace pelt::pipeline
