#pragma once

#include <pelt/fit/virtual_bones.h>

#include "bone_refine.h"
#include "local_weights.h"

namespace pelt::fit::virtual_bones {

/// The samples in the space of the solver (ssdr::Trajectories): unit radius, each sample scaled by the square root of
/// its importance.
struct Problem {
    ssdr::Trajectories data;
    Poses poses;
    std::vector<VirtualBone> rows;      ///< per vertex, the bone that moves as it does
    std::vector<std::uint32_t> joints;  ///< the slots that rows use: the first bones of every solve

    Problem(std::span<const Vec3f> rest, const Skeleton& skeleton, const DdmRows<float>& given,
            const SkinSamples& samples);

    /// The same problem for some of the vertices.
    Problem(const Problem& whole, std::span<const std::uint32_t> vertices);

    /// Motions of the joints, then of these bones.
    ssdr::Motions motionsOf(const std::vector<VirtualBone>& bones) const;

    /// A bone of this space in that of the file.
    VirtualBone toFile(const VirtualBone& bone) const;
};

/// Which of many vertices would be the best bones to add: the gain of a bone is the sum over all vertices of the error
/// that one step of their weights toward it saves; each further bone counts what it saves beyond the ones before.
/// Returns at most `count` vertices; fewer if no other would save anything.
std::vector<std::uint32_t> bestAdditions(const Problem& problem, const std::vector<float>& residuals,
                                         const ssdr::VertexWeights& weights, std::size_t count);

/// Per virtual bone (bone `first` of the motions is the first), the error that its removal would add if the other bones
/// of each vertex took over its weight.
std::vector<double> lossesOf(const Problem& problem, const ssdr::Motions& motions, std::size_t first,
                             const std::vector<float>& residuals, const ssdr::VertexWeights& weights);

}  // namespace pelt::fit::virtual_bones
