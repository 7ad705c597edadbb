#pragma once

#include <pelt/pipeline/pose.h>

namespace pelt::pipeline {

/// Poses a character interactively while its handles are moved [Jacobson12]. It is prepared once; then, for every
/// frame, handles are set and a few iterations are solved. The joints are free: they may stretch if that reduces the
/// energy of the skin.
class LivePoser {
public:
    /// Throws Error (bad input) for a character without joints or weights, and as pose::prepare does.
    LivePoser(const Character& character, const pose::RigOptions& options, const Progress& progress = {});
    ~LivePoser();

    /// Takes microseconds if only targets changed, milliseconds if the set of handles changed. Of handles with keys,
    /// the first key is used. Throws Error (bad input) as checkHandles does.
    void setHandles(std::span<const PoseHandle> handles);

    /// Continues from the last pose.
    pose::SolveResult step(int iterations);

    /// Per joint slot, from rest space to the pose.
    std::vector<Affine3d> bones() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace pelt::pipeline
