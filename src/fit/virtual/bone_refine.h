#pragma once

#include "fit/decompose/bone_update.h"
#include "virtual_bone.h"

namespace pelt::fit::virtual_bones {

/// Poses in the space of the solver (ssdr::Trajectories), each with the factor that its residuals are scaled by.
struct Poses {
    std::size_t joints = 0;
    std::vector<Affine3d> maps;  ///< [pose * joints + slot]
    std::vector<double> scale;

    std::size_t count() const { return scale.size(); }
    std::span<const Affine3d> of(std::size_t pose) const { return {maps.data() + pose * joints, joints}; }
};

/// The motion of a bone in every pose, as bone `index` of the motions.
void setMotion(const VirtualBone& bone, const Poses& poses, std::size_t index, ssdr::Motions& motions);

/// Improves the blocks of the virtual bones (bone `first` of the motions is the first of them) by Gauss–Newton on the
/// objective of `sums`, one after the other, and updates their motions; the objective never increases.
void refineBones(const ssdr::VertexSums& sums, const Poses& poses, std::size_t first, int sweeps,
                 std::vector<VirtualBone>& bones, ssdr::Motions& motions);

}  // namespace pelt::fit::virtual_bones
