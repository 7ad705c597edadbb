#pragma once

#include <pelt/fit/virtual_bones.h>
#include <pelt/geometry/weld.h>
#include <pelt/rig/character.h>
#include <pelt/rig/range_of_motion.h>

#include <functional>

namespace pelt::pipeline {

/// What virtual joints are fitted to: a deformer over the range of motion of a skeleton and over its clip.
struct VirtualBake {
    const Character& character;
    const DdmRows<float>& rows;
    const SkinWeights& start;  ///< a plain skin: the error of a pose counts relative to its error
    const geometry::Weld& weld;
    rig::RangeOfMotion range;
    std::vector<std::vector<Affine3d>> clip;  ///< local transforms of samples of the clip
    /// Poses all vertices by the skin matrices of the joints.
    std::function<void(std::span<const Affine3f>, std::span<Vec3f>)> evaluate;
};

/// The samples of the welded vertices. Besides the poses of the clip and of the range of motion there are mixtures of
/// both, in which each joint has a rotation of its own: virtual joints follow several joints at once. Poses in which
/// joints scale or shear are left out.
fit::SkinSamples sampleVirtual(const VirtualBake& bake, const Progress& progress);

}  // namespace pelt::pipeline
