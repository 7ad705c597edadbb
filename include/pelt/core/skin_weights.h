#pragma once

#include <pelt/core/compressed_rows.h>

namespace pelt {

/// Sparse weights, any number of joints per vertex: one row per vertex.
template <class Number>
struct JointWeights : CompressedRows {
    std::vector<std::uint32_t> joints;  ///< indices into Skeleton::joints
    std::vector<Number> weights;

    std::size_t vertexCount() const { return rowCount(); }
    std::size_t influenceCount(std::size_t vertex) const { return rowSize(vertex); }
    std::span<const std::uint32_t> jointsOf(std::size_t vertex) const { return rowOf(joints, vertex); }
    std::span<const Number> weightsOf(std::size_t vertex) const { return rowOf(weights, vertex); }
    bool empty() const { return joints.empty(); }

    friend bool operator==(const JointWeights&, const JointWeights&) = default;
};

/// Weights are positive and sum to 1; the heaviest comes first, ties by lower joint.
using SkinWeights = JointWeights<float>;

/// The largest number of joints any vertex has.
std::size_t maxInfluences(const SkinWeights& weights);

/// Each vertex keeps its `count` heaviest joints, rescaled to sum 1; 0 keeps all.
SkinWeights keepHeaviest(const SkinWeights& weights, std::size_t count);

/// Each vertex keeps its `count` heaviest joints, reduced by the heaviest weight that is dropped and rescaled to sum 1;
/// 0 keeps all. Where one joint replaces another, both have weight 0, so that smooth weights stay smooth; plain
/// truncation would make them discontinuous along a line.
SkinWeights lowerToHeaviest(const SkinWeights& weights, std::size_t count);

/// The weights without those below 1e-4, which are invisible but cost time in every engine; the others are
/// renormalized. Vertices that have the weights of `untouched` keep them.
SkinWeights withoutSmall(const SkinWeights& weights, const SkinWeights* untouched = nullptr);

/// Appends one vertex: drops zeros, merges repeated joints, divides by the sum, sorts. Returns the sum before dividing;
/// a vertex without any weight is appended without entries and returns 0.
float appendVertex(SkinWeights& weights, std::span<const std::uint32_t> joints, std::span<const float> values);

}  // namespace pelt
