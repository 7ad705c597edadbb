#pragma once

#include <pelt/verbs/live_pose.h>

#include <memory>

namespace pelt::verbs {

/// How a live poser poses: by rigid joints, or freely. Both refer to the handles of the poser.
class LiveMode {
public:
    virtual ~LiveMode() = default;

    /// Other handles than before. If it throws, nothing has changed.
    virtual void setHandles(std::span<const PoseHandle> handles, const Progress& progress) = 0;
    /// The targets of the handles, which are otherwise those of the last call of setHandles, changed.
    virtual void moveHandles(std::span<const PoseHandle> handles) = 0;
    virtual void prepare(std::span<const PoseHandle>) {}
    virtual double prepared() const { return 1; }
    virtual pose::SolveResult step(int iterations) = 0;
    virtual std::span<const double> energies() const { return {}; }
    /// Per joint slot of the character, from rest space to the pose.
    virtual void bones(std::span<Affine3d> out) const = 0;
    virtual std::size_t boneCount() const = 0;
    virtual void positions(std::span<Vec3f> out) = 0;
    virtual std::span<const Affine3f> transforms() const { return {}; }
    virtual Clip clip(const Progress& progress) = 0;
};

std::unique_ptr<LiveMode> liveRigid(const Character& character, const PoseRequest& request, const Progress& progress);
std::unique_ptr<LiveMode> liveFree(const Character& character, const PoseRequest& request, const Progress& progress);

}  // namespace pelt::verbs
