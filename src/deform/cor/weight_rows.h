#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/skin_weights.h>

namespace pelt::deform {

struct JointWeight {
    std::uint32_t joint;
    double weight;

    friend bool operator==(const JointWeight&, const JointWeight&) = default;
};

/// Weights by rows of ascending joints; each row sums to 1.
struct WeightRows : CompressedRows {
    std::vector<JointWeight> entries;

    std::size_t count() const { return rowCount(); }
    std::span<const JointWeight> of(std::size_t row) const { return rowOf(entries, row); }
    /// Sorts, merges repeated joints and divides by the sum.
    void append(std::vector<JointWeight>& row);
};

WeightRows rowsOfVertices(const SkinWeights& weights);

/// Per triangle the mean of its corners.
WeightRows rowsOfTriangles(const WeightRows& vertices, std::span<const Triangle> triangles);

/// Groups of vertices with the same weights: the group of each vertex, and one vertex of each group.
struct EqualRows {
    std::vector<std::uint32_t> group;
    std::vector<std::uint32_t> first;
};

EqualRows groupEqualRows(const WeightRows& rows);

}  // namespace pelt::deform
