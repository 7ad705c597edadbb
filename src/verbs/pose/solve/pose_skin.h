#pragma once

#include <pelt/methods/methods.h>

#include "pose_start.h"

namespace pelt::verbs {

/// Computes the vertices of a pose with a deformer. The character and its start must outlive it.
class Skinner {
public:
    Skinner(const Character& character, const PoseStart& start, const std::string& method,
            const methods::MethodOptions& options, const Progress& progress);

    /// `bones` map rest space to posed space, one per joint slot.
    void pose(std::span<const Affine3d> bones, std::span<Vec3f> out);

private:
    const PoseStart& start_;
    bool morphed_ = false;
    std::unique_ptr<methods::Deformer> deformer_;
    std::vector<Affine3f> bones_;
};

/// Places the props of a character whose joints move freely: each goes with the joint that carries it, also where that
/// joint stretches. `motions`: per joint slot, from the start to the pose. `out`: the vertices of the props.
void placePropsOn(const Character& character, const PoseStart& start, std::span<const std::int32_t> carriers,
                  std::span<const Affine3d> motions, std::span<Vec3f> out) noexcept;

}  // namespace pelt::verbs
