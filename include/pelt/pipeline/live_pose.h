#pragma once

#include <pelt/pipeline/pose.h>

namespace pelt::pipeline {

/// Poses a character interactively while its handles are moved. It is prepared once; then, for every frame, handles are
/// set and solved. There are two modes:
///
/// Rigid joints (PoseRequest::keep_lengths or limits): the pose that poseCharacter finds for the same handles, bones
/// keep their lengths. It depends on the handles alone, not on the way in which they were moved.
///
/// The free pose [Jacobson12] otherwise: joints may stretch if that reduces the energy of the skin. A step continues
/// from the last pose by a few iterations.
class LivePoser {
public:
    /// Of the request, `rig`, `clip`, `at`, `fps`, `keep_lengths` and `limits` count. Throws Error (bad input) for a
    /// character without joints or weights, and as pose::prepare and poseCharacter do.
    LivePoser(const Character& character, const PoseRequest& request, const Progress& progress = {});
    ~LivePoser();

    /// Takes microseconds if only targets changed, milliseconds if the set of handles changed (longer for rigid joints
    /// that are not connected). Of handles with keys, the first key is used. Throws Error (bad input) as checkHandles
    /// does; the handles set before are then kept.
    void setHandles(std::span<const PoseHandle> handles);

    /// Solves: rigid joints to the end, whatever `iterations` is; the energy is then the largest distance of a handle
    /// from its target.
    pose::SolveResult step(int iterations);

    /// Per joint slot, from rest space to the pose.
    std::vector<Affine3d> bones() const;

    /// The clip that poseCharacter makes of these handles, `fps` frames per second from their first key to their last.
    /// Throws Error (bad usage) unless joints are rigid and handles are set.
    Clip clip(const Progress& progress = {});

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace pelt::pipeline
