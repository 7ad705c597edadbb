#pragma once

#include <pelt/core/affine.h>
#include <pelt/rig/ddm_payload.h>

#include <span>
#include <vector>

namespace pelt::fit::virtual_bones {

/// The block of one joint: how a joint takes part in the motion of a virtual bone.
struct JointBlock {
    std::uint32_t joint = 0;
    Mat3d w{{{}, {}, {}}};  ///< W
    Vec3d turn, move;       ///< χ of the rotation and χ of the position: equal in a row of Direct Delta Mush
    double weight = 0;      ///< ω
};

/// A row of blocks that moves as a vertex of Direct Delta Mush v0 does, [LeLewis19] Eqs. 7 to 10, about `center` p:
///     S = Σ_j A_j W_j + (M_j p) turn_jᵀ,   q = Σ_j A_j move_j + ω_j M_j p,   x → q + R (x − p), R nearest to S.
/// Over a row, turn and move sum to 0, ω to 1 and W to a symmetric positive definite matrix: at rest, the bone is at
/// rest, and a rigid motion of all joints is its motion.
struct VirtualBone {
    Vec3d center;
    std::vector<JointBlock> blocks;  ///< the heaviest first
};

/// The bone that moves as vertex `v` of the rows does.
VirtualBone boneOfRow(const DdmRows<float>& rows, std::size_t v);

/// The bone without the joints whose ω is under `least`; the heaviest takes their blocks over.
VirtualBone withoutSmallBlocks(const VirtualBone& bone, double least);

/// S and q in a pose; `joints` has one map per slot.
struct BoneSums {
    Mat3d s{{{}, {}, {}}};
    Vec3d q;
};
BoneSums sumsOf(const VirtualBone& bone, std::span<const Affine3d> joints);

/// The motion in a pose.
Affine3d poseOf(const VirtualBone& bone, std::span<const Affine3d> joints);

}  // namespace pelt::fit::virtual_bones
