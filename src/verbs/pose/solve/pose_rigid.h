#pragma once

#include <pelt/pose/rigid_joints.h>

#include <optional>

#include "pose_clip.h"
#include "pose_job.h"
#include "pose_skeleton.h"

namespace pelt::verbs {

/// A frame of the free pose, for unconnected joints.
struct FreeFrame {
    std::span<const Affine3d> joints;
    std::span<const Vec3f> positions;
};

/// Rigid joints whose bones keep their lengths, frame by frame, as stored in a clip.
class RigidPoser {
public:
    explicit RigidPoser(const PoseJob& job);

    /// Whether the joints are fitted to the free pose.
    bool needsFree() const { return !skeleton_; }

    /// The next frame; `free` if it is needed. The positions of the handles are stored in `result`.
    ClipPose pose(std::size_t frame, const FreeFrame& free, PoseResult& result);

    Clip takeClip() { return clip_->take(); }

    /// The next frame is the first of another clip.
    void restart();

private:
    pose::RigidOptions targetsAt(double time) const;
    std::vector<HandlePlace> placesOf(std::span<const Affine3d> motions, double time) const;
    Vec3d skinPlace(std::span<const std::uint32_t> vertices, std::span<const Affine3d> motions) const;

    const PoseJob& job_;
    std::optional<PoseClip> clip_;
    std::optional<SkeletonPoser> skeleton_;
};

}  // namespace pelt::verbs
