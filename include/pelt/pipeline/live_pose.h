#pragma once

#include <pelt/pipeline/pose.h>

namespace pelt::pipeline {

/// Poses a character while its handles are being moved [Jacobson12]: prepared once, then handles are set and a few
/// iterations solved for every picture. The joints are free: they stretch where that bends the skin less.
class LivePoser {
public:
    /// Throws Error (bad input) for a character without joints or weights, and as pose::prepare does.
    LivePoser(const Character& character, const pose::RigOptions& options, const Progress& progress = {});
    ~LivePoser();

    /// Takes microseconds where only targets changed, milliseconds where other things are held. Keyed handles are
    /// taken at their first key. Throws Error (bad input) as checkHandles does.
    void setHandles(std::span<const PoseHandle> handles);

    /// Goes on from the last pose.
    pose::SolveResult step(int iterations);

    /// Per joint slot, from rest space to the pose.
    std::vector<Affine3d> bones() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace pelt::pipeline
