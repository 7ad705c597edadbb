#pragma once

#include <pelt/core/affine.h>
#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>
#include <pelt/core/vec.h>

#include <span>

namespace pelt::fit {

/// Poses of a mesh and of the joints that it is to follow.
struct FollowedPoses {
    std::span<const Vec3f> positions;  ///< pose by pose, one per vertex
    std::span<const Affine3d> joints;  ///< pose by pose, one per joint, from rest space to posed space
    std::size_t joint_count = 0;
};

/// Weights on at most `influences` (0: any number) joints per vertex with which linear blend skinning is nearest to the
/// poses: for each vertex the least squares solution with weights of at least 0 and sum 1, near its given weights where
/// the poses do not decide. A vertex uses only joints of its given row, the 16 heaviest. Vertices of equal position,
/// weights and poses get equal weights. The same input gives the same bits on any number of threads.
SkinWeights followPoses(std::span<const Vec3f> rest, const SkinWeights& given, const FollowedPoses& poses,
                        std::size_t influences, const Progress& progress = {});

}  // namespace pelt::fit
