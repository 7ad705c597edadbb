// Poses a character by handles and writes the poses as a clip.
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/rig/props.h>
#include <pelt/verbs/pose.h>

#include <algorithm>

#include "verbs/pose/solve/pose_flat.h"
#include "verbs/pose/solve/pose_free.h"
#include "verbs/pose/solve/pose_prepare.h"
#include "verbs/pose/solve/pose_rigid.h"
#include "verbs/pose/solve/pose_skin.h"
#include "verbs/pose/solve/pose_unreduced.h"

namespace pelt::verbs {
namespace {

bool keepsLengths(const PoseJob& job) {
    const PoseRequest& request = job.request;
    if (request.keep_lengths || request.limits) return true;
    return job.skeleton && job.byJoints() && !request.free && !request.unreduced && request.rig.extra_weights == 0;
}

/// The requested steps and those that they need, frame by frame.
class PoseRun {
public:
    PoseRun(const PoseJob& job, const PoseWanted& wanted, const Progress& progress);
    PoseResult run();
    Clip takeClip() { return rigid_->takeClip(); }

private:
    void solveFree(std::size_t frame);
    void releaseVertices(std::span<Vec3f> skin);
    void writeFrame(const ClipPose& rigid);
    void tellJoints();

    const PoseJob& job_;
    const PoseWanted& wanted_;
    const Progress& progress_;
    PoseResult result_;
    std::optional<RigidPoser> rigid_;
    std::optional<FreePoser> free_;
    std::optional<Skinner> skinner_;  ///< of the sequence, unless it is the free pose itself
    std::optional<Skinner> plain_;    ///< of the measured frames
    std::optional<Unreduced> unreduced_;
    std::optional<geometry::SequenceComparison> comparison_;
    std::vector<Affine3d> joints_;  ///< of the free pose, from the start
    std::vector<Vec3f> free_skin_, rigid_skin_, frame_;
    std::vector<std::int32_t> prop_carriers_;
};

PoseRun::PoseRun(const PoseJob& job, const PoseWanted& wanted, const Progress& progress)
    : job_(job),
      wanted_(wanted),
      progress_(progress),
      frame_(rig::vertexCount(job.character)),
      prop_carriers_(rig::carriersOfProps(job.character)) {
    const std::size_t vertices = job.character.mesh.vertexCount();
    const PoseRequest& request = job.request;
    const bool sequence = bool(wanted.sequence);
    const bool rigid = wanted.clip || (sequence && job.rigid), measured = wanted.measure && rigid;
    if (rigid) rigid_.emplace(job);
    if (measured || (sequence && !job.rigid) || (rigid_ && rigid_->needsFree())) free_.emplace(job);
    if (free_) free_skin_.resize(vertices);
    if (sequence && (job.rigid || !methods::findMethod(request.method).traits.linear))
        skinner_.emplace(job.character, job.start, request.method, request.method_options, progress);
    if (request.unreduced && (sequence || measured)) unreduced_.emplace(job);
    if (!measured) return;
    rigid_skin_.resize(vertices);
    plain_.emplace(job.character, job.start, "lbs", methods::MethodOptions{}, progress);
    comparison_.emplace(job.character.mesh.positions);
}

void PoseRun::solveFree(std::size_t frame) {
    free_->solve(frame, result_, progress_);
    free_->positions(free_skin_);
    joints_ = free_->joints();
}

/// Continues without the rig.
void PoseRun::releaseVertices(std::span<Vec3f> skin) {
    unreduced_->apply(skin, result_.energies, progress_);
    if (!free_) result_.frame_energies.push_back(0);
    result_.frame_energies.back() = result_.energies.back();
}

/// A frame of the sequence; `rigid` may be empty if it is not needed.
void PoseRun::writeFrame(const ClipPose& rigid) {
    const auto skin = std::span(frame_).first(job_.character.mesh.vertexCount());
    const auto props = std::span(frame_).subspan(skin.size());
    if (job_.rigid)
        rig::placeProps(job_.character.props, rigid.worlds, {job_.character.props.mesh.positions, {}, {}},
                        {props, {}, {}});
    else
        placePropsOn(job_.character, job_.start, prop_carriers_, joints_, props);
    if (!skinner_) {
        std::copy(free_skin_.begin(), free_skin_.end(), skin.begin());
    } else if (job_.rigid) {
        skinner_->pose(rigid.bones, skin);
    } else {
        for (std::size_t j = 0; j < joints_.size(); ++j) joints_[j] = joints_[j] * job_.start.bones[j];
        skinner_->pose(joints_, skin);
    }
    if (unreduced_ && skinner_) releaseVertices(skin);
    wanted_.sequence(frame_);
}

void PoseRun::tellJoints() {
    std::vector<Affine3d> from_rest;
    for (std::size_t j = 0; j < joints_.size(); ++j) from_rest.push_back(joints_[j] * job_.start.bones[j]);
    wanted_.joints(from_rest);
}

PoseResult PoseRun::run() {
    for (std::size_t f = 0; f < job_.times.size(); ++f) {
        progress_.report("pose", double(f) / double(job_.times.size()));
        if (free_) solveFree(f);
        const ClipPose pose = rigid_ ? rigid_->pose(f, {joints_, free_skin_}, result_) : ClipPose{};
        if (unreduced_ && !skinner_) releaseVertices(free_skin_);
        if (comparison_) {
            plain_->pose(pose.bones, rigid_skin_);
            comparison_->add(rigid_skin_, free_skin_);
        }
        if (wanted_.joints && free_) tellJoints();
        if (wanted_.sequence) writeFrame(pose);
    }
    if (comparison_) result_.clip_error = comparison_->result();
    return std::move(result_);
}

}  // namespace

bool PoseJob::byJoints() const {
    return std::all_of(handles.begin(), handles.end(), [](const PoseHandle& h) {
        return h.given == PoseHandle::Given::free || (h.kind == PoseHandle::Kind::joint && !h.byMatrix());
    });
}

pose::Energy energyFor(const Character& character) {
    if (character.weights.empty()) return pose::Energy::spokes_and_rims;  // generated weights connect all pieces
    const JointGroups groups = groupJoints(character, false);
    std::optional<std::uint32_t> first;
    bool one = true;
    for (std::size_t v = 0; v < groups.of_vertex.size() && one; ++v) {
        if (character.weights.influenceCount(v) == 0) continue;
        if (!first) first = groups.of_vertex[v];
        one = groups.of_vertex[v] == *first;
    }
    return one || geometry::isFlat(character.mesh.positions) ? pose::Energy::spokes_and_rims : pose::Energy::tets;
}

std::size_t frameCount(std::span<const PoseHandle> handles, const PoseRequest& request) {
    return frameTimes(handles, request.fps).size();
}

PoseResult poseCharacter(Character& character, std::span<const PoseHandle> handles, const PoseRequest& request,
                         const PoseWanted& wanted, const Progress& progress) {
    methods::findMethod(request.method);
    const bool own_joints = !character.skeleton.joints.empty();
    PoseStart start = startOf(character, request);
    checkSomethingHeld(handles);
    bindHandles(character, start, handles, request.cache, progress);
    const HandlePlan plan = planHandles(character, start, handles);
    const bool skeleton = own_joints && hasSkeleton(character, start);
    // A skeleton is connected; unconnected bones may have parts that no handle reaches.
    const std::optional<PosePart> part =
        own_joints && !skeleton ? movedPart(character, start, plan, request.rig.energy) : std::nullopt;
    const pose::PoseRig rig =
        part ? prepareRig(part->mesh, part->weights, part->joints.size(), request, progress)
             : prepareRig(start.mesh, character.weights, character.skeleton.joints.size(), request, progress);
    PoseJob job{character, handles, request, start, plan, part ? &*part : nullptr, rig};
    job.times = frameTimes(handles, request.fps);
    const FlatPose flat = flatPose(request.flat, part ? part->mesh : start.mesh);
    job.plane = planeToPoseIn(request.flat, flat, handles, plan, start, job.times);
    job.skeleton = skeleton;
    job.rigid = keepsLengths(job);
    PoseRun run(job, wanted, progress);
    PoseResult result = run.run();
    result.frames = job.times.size();
    result.rigid = job.rigid;
    result.flat = job.plane.has_value();
    result.handles = character.skeleton.joints.size();
    result.extra_weights = rig.extraCount();
    result.clusters = rig.clusterCount();
    // First, so that it is played by default; the others are kept.
    if (wanted.clip) character.clips.insert(character.clips.begin(), run.takeClip());
    return result;
}

}  // namespace pelt::verbs
