// Rigid joints, live: for every step the pose that poseCharacter finds.
#include <pelt/core/error.h>
#include <pelt/rig/props.h>

#include "live_mode.h"
#include "verbs/pose/solve/pose_free.h"
#include "verbs/pose/solve/pose_prepare.h"
#include "verbs/pose/solve/pose_rigid.h"
#include "verbs/pose/solve/pose_skin.h"

namespace pelt::verbs {
namespace {

/// Handles, and what is prepared for them. Members refer to those above them.
struct RigidHandles {
    std::vector<PoseHandle> handles;
    HandlePlan plan;
    std::optional<PosePart> part;
    std::optional<pose::PoseRig> part_rig;
    std::optional<PoseJob> job;
    std::optional<RigidPoser> joints;
    std::optional<FreePoser> free;  ///< for joints that are not connected
    std::vector<Vec3f> free_skin;

    ClipPose solveFrame(std::size_t frame, PoseResult& result, const Progress& progress);
};

class LiveRigid final : public LiveMode {
public:
    LiveRigid(const Character& character, const PoseRequest& request, const Progress& progress);
    void setHandles(std::span<const PoseHandle> handles, const Progress& progress) override;
    void moveHandles(std::span<const PoseHandle> handles) override;
    pose::SolveResult step(int iterations) override;
    void bones(std::span<Affine3d> out) const override;
    std::size_t boneCount() const override { return start_.bones.size(); }
    void positions(std::span<Vec3f> out) override;
    Clip clip(const Progress& progress) override;

private:
    std::unique_ptr<RigidHandles> handlesOf(std::span<const PoseHandle> handles, const Progress& progress) const;
    double solve();

    const Character character_;
    const PoseRequest request_;
    const PoseStart start_;
    const bool skeleton_;  ///< bones are connected, see hasSkeleton
    const pose::PoseRig rig_;
    std::unique_ptr<RigidHandles> held_;  ///< null: nothing is held
    bool moved_ = false;                  ///< since it was solved
    pose::SolveResult solved_{0, true, 0};
    std::optional<ClipPose> posed_;
    std::optional<Skinner> skinner_;  ///< made when first needed
};

const Character& riggedOnly(const Character& character) {
    if (character.skeleton.joints.empty()) throw Error::badInput("has no joints to pose");
    if (character.weights.empty()) throw Error::badInput("has a skeleton but no skin weights; bind it first");
    return character;
}

LiveRigid::LiveRigid(const Character& character, const PoseRequest& request, const Progress& progress)
    : character_(riggedOnly(character)),
      request_(request),
      start_(startOf(character_, request_)),
      skeleton_(hasSkeleton(character_, start_)),
      rig_(prepareRig(start_.mesh, character_.weights, character_.skeleton.joints.size(), request_, progress)) {}

std::unique_ptr<RigidHandles> LiveRigid::handlesOf(std::span<const PoseHandle> handles,
                                                   const Progress& progress) const {
    auto made = std::make_unique<RigidHandles>();
    RigidHandles& m = *made;
    m.plan = planHandles(character_, start_, handles);
    if (m.plan.constraints.empty()) return nullptr;
    m.handles.assign(handles.begin(), handles.end());
    if (!skeleton_) m.part = movedPart(character_, start_, m.plan, request_.rig.energy);
    if (m.part) m.part_rig = prepareRig(m.part->mesh, m.part->weights, m.part->joints.size(), request_, progress);
    m.job.emplace(PoseJob{character_, m.handles, request_, start_, m.plan, m.part ? &*m.part : nullptr,
                          m.part ? *m.part_rig : rig_});
    m.job->times = {0};
    m.job->skeleton = skeleton_;
    m.job->rigid = true;
    m.joints.emplace(*m.job);
    if (m.joints->needsFree()) m.free.emplace(*m.job);
    return made;
}

void LiveRigid::setHandles(std::span<const PoseHandle> handles, const Progress& progress) {
    checkHandlesAt(start_, character_, handles);
    held_ = handlesOf(handles, progress);
    posed_.reset();
    moved_ = true;
}

void LiveRigid::moveHandles(std::span<const PoseHandle> handles) {
    if (held_) std::copy(handles.begin(), handles.end(), held_->handles.begin());  // in place: others refer to them
    moved_ = true;
}

ClipPose RigidHandles::solveFrame(std::size_t frame, PoseResult& result, const Progress& progress) {
    if (!free) return joints->pose(frame, {}, result);
    free_skin.resize(job->character.mesh.vertexCount());
    free->solve(frame, result, progress);
    free->positions(free_skin);
    const std::vector<Affine3d> motions = free->joints();
    return joints->pose(frame, {motions, free_skin}, result);
}

/// As if it were the only frame. Returns the largest distance of a handle from its target.
double LiveRigid::solve() {
    PoseResult result;
    held_->job->times = {frameTimes(held_->handles, request_.fps).front()};
    held_->joints->restart();
    posed_ = held_->solveFrame(0, result, {});
    return result.missed;
}

pose::SolveResult LiveRigid::step(int iterations) {
    if (!held_) return {0, true, 0};
    if (moved_) solved_ = {iterations, true, solve()};
    moved_ = false;
    return solved_;
}

void LiveRigid::bones(std::span<Affine3d> out) const {
    const std::vector<Affine3d>& bones = posed_ ? posed_->bones : start_.bones;
    std::copy(bones.begin(), bones.end(), out.begin());
}

void LiveRigid::positions(std::span<Vec3f> out) {
    if (!skinner_) skinner_.emplace(character_, start_, "lbs", methods::MethodOptions{}, Progress());
    const std::size_t skin = character_.mesh.vertexCount();
    skinner_->pose(posed_ ? posed_->bones : start_.bones, out.first(skin));
    rig::placeProps(character_.props, posed_ ? posed_->worlds : start_.worlds,
                    {character_.props.mesh.positions, {}, {}}, {out.subspan(skin), {}, {}});
}

Clip LiveRigid::clip(const Progress& progress) {
    if (!held_) throw Error::badUsage("a clip needs handles; set them first");
    PoseJob& job = *held_->job;
    job.times = frameTimes(held_->handles, request_.fps);
    held_->joints->restart();
    moved_ = true;  // the next step solves its own frame
    PoseResult result;
    for (std::size_t f = 0; f < job.times.size(); ++f) {
        progress.report("pose", double(f) / double(job.times.size()));
        held_->solveFrame(f, result, progress);
    }
    return held_->joints->takeClip();
}

}  // namespace

std::unique_ptr<LiveMode> liveRigid(const Character& character, const PoseRequest& request, const Progress& progress) {
    return std::make_unique<LiveRigid>(character, request, progress);
}

}  // namespace pelt::verbs
