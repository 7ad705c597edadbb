// Poses joints that keep their lengths, frame by frame.
#include "pose_rigid.h"

#include <algorithm>

namespace pelt::verbs {
namespace {

using HandleGiven = PoseHandle::Given;

}  // namespace

RigidPoser::RigidPoser(const PoseJob& job) : job_(job) {
    clip_.emplace(job.character, job.start);
    if (job.skeleton) skeleton_.emplace(job.character, job.start, job.handles, job.plan, job.request, job.rig);
}

void RigidPoser::restart() {
    clip_.emplace(job_.character, job_.start);
    if (skeleton_) skeleton_->restart();
}

/// For loose joints: their targets, to fit them to the posed skin.
pose::RigidOptions RigidPoser::targetsAt(double time) const {
    pose::RigidOptions options;
    options.limits = job_.request.limits;
    for (const std::size_t h : job_.plan.handle_of) {
        const PoseHandle& handle = job_.handles[h];
        if (!job_.plan.joint_of[h] || handle.given == HandleGiven::rotation) continue;
        const auto joint = std::uint32_t(*job_.plan.joint_of[h]);
        const Vec3d held = job_.plan.held[h];
        const Vec3d target = motionAt(handle, held, job_.start.file_bones[joint], time) * held;
        options.targets.push_back({joint, target, handle.given != HandleGiven::position});
    }
    return options;
}

/// The mean of vertices of the skin in the pose.
Vec3d RigidPoser::skinPlace(std::span<const std::uint32_t> vertices, std::span<const Affine3d> motions) const {
    const SkinWeights& weights = job_.character.weights;
    Vec3d place;
    for (const std::uint32_t v : vertices)
        for (std::size_t k = 0; k < weights.influenceCount(v); ++k) {
            const std::size_t j = weights.jointsOf(v)[k];
            const Vec3d moved = motions[j] * (job_.start.bones[j] * Vec3d(job_.start.rest[v]));
            place += moved * (double(weights.weightsOf(v)[k]) / double(vertices.size()));
        }
    return place;
}

/// Start, target and result of the handles; `motions` as for PoseClip.
std::vector<HandlePlace> RigidPoser::placesOf(std::span<const Affine3d> motions, double time) const {
    const HandlePlan& plan = job_.plan;
    std::vector<HandlePlace> places;
    for (std::size_t i = 0; i < plan.constraints.size(); ++i) {
        const std::size_t h = plan.handle_of[i];
        const PoseHandle& handle = job_.handles[h];
        if (handle.given == HandleGiven::rotation) continue;
        HandlePlace place{h, plan.held[h], {}, {}};
        if (plan.joint_of[h]) {
            const std::size_t j = *plan.joint_of[h];
            place.target = motionAt(handle, plan.held[h], job_.start.file_bones[j], time) * plan.held[h];
            place.posed = motions[j] * plan.held[h];
        } else {
            place.target = placeAt(handle, plan.held[h], time);
            place.posed = skinPlace(plan.constraints[i].vertices, motions);
        }
        places.push_back(place);
    }
    return places;
}

ClipPose RigidPoser::pose(std::size_t frame, const FreeFrame& free, PoseResult& result) {
    const double time = job_.times[frame];
    const std::vector<Affine3d> motions =
        skeleton_ ? skeleton_->poseAt(time)
                  : pose::rigidJoints(job_.start.skeleton,
                                      {job_.start.mesh.positions, free.positions, &job_.character.weights}, free.joints,
                                      targetsAt(time));
    result.places = placesOf(motions, time);
    for (const HandlePlace& place : result.places) result.missed = std::max(result.missed, place.missed());
    return clip_->add(time, motions);
}

}  // namespace pelt::verbs
