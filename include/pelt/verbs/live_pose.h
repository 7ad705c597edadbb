#pragma once

#include <pelt/verbs/pose.h>

namespace pelt::verbs {

class LiveMode;

/// Poses a character, or a mesh without joints, interactively while its handles are moved. It is prepared once; then,
/// for every frame, handles are set or dragged, and solved. There are two modes:
///
/// Rigid joints (PoseRequest::keep_lengths or limits): the pose that poseCharacter finds for the same handles, bones
/// keep their lengths. It depends on the handles alone, not on the way in which they were moved.
///
/// The free pose [Jacobson12] otherwise: joints may stretch if that reduces the energy of the skin. A step continues
/// from the last pose by a few iterations. After the first handles it is the pose that poseCharacter
/// (PoseRequest::free) has after as many iterations.
class LivePoser {
public:
    /// Of the request, `rig`, `clip`, `at`, `fps`, `keep_lengths` and `limits` count. Throws Error (bad input) for
    /// rigid joints of a character without joints or weights, and as pose::prepare and poseCharacter do.
    LivePoser(const Character& character, const PoseRequest& request, const Progress& progress = {});
    ~LivePoser();
    LivePoser(LivePoser&&) noexcept;
    LivePoser& operator=(LivePoser&&) noexcept;

    /// Takes microseconds and allocates nothing if only targets changed, milliseconds if constraints changed; the pose
    /// stays. Longer if there must be other weights: if the places of the handles of a mesh without joints changed, or
    /// joints that are not connected. Of handles with keys, the first key is used. Throws Error (bad input) as
    /// checkHandles does, and cancelled if `progress` requests it; the handles set before are then kept. No handles, or
    /// free ones alone, are fine.
    void setHandles(std::span<const PoseHandle> handles, const Progress& progress = {});

    /// Handles of a mesh without joints that will be set: starts to prepare for their places in the background, while
    /// the handles set before stay draggable, and ends an earlier such preparation. No handles: only that. setHandles
    /// then waits for what is left of it. Throws Error (bad input) as checkHandles does.
    void prepare(std::span<const PoseHandle> handles);
    /// How far that is, from 0 to 1; 1: there is nothing to wait for.
    double prepared() const;

    /// Moves a handle that has such a value, without an allocation: a position, or a rotation in degrees as in
    /// PoseHandle::rotations. Handles count as in the handles file (PoseHandle::number), otherwise as in setHandles.
    /// Throws Error (bad usage) for a handle that does not exist or has no such value.
    void setTarget(std::size_t handle, const Vec3d& target);
    void setRotation(std::size_t handle, const Vec3d& degrees);
    void setTransform(std::size_t handle, const Affine3d& transform);

    /// Solves. The free pose goes on by at most so many iterations. Rigid joints are solved to the end, whatever
    /// `iterations` is; the energy is then the largest distance of a handle from its target.
    pose::SolveResult step(int iterations);

    /// Of the last step of a free pose, after each iteration.
    std::span<const double> energies() const;

    /// Per joint slot of the character, from rest space to the pose.
    std::vector<Affine3d> bones() const;
    void bones(std::span<Affine3d> out) const;

    /// What is seen in the pose of the last step: the vertices of the skin, moved with all weights of the rig, then
    /// those of the props. Free poses allocate nothing.
    void positions(std::span<Vec3f> out);

    /// Of a free pose, from the start to the pose: the joints that move the skin, which are the handles of a mesh
    /// without joints, then the extra weights, whose transforms are added to the blend of the others. Empty for rigid
    /// joints.
    std::span<const Affine3f> transforms() const;

    /// The clip that poseCharacter makes of these handles, `fps` frames per second from their first key to their last.
    /// Throws Error (bad usage) unless joints are rigid and handles are set.
    Clip clip(const Progress& progress = {});

private:
    std::vector<PoseHandle> handles_;  ///< before the mode, which refers to them
    std::unique_ptr<LiveMode> mode_;
};

}  // namespace pelt::verbs
