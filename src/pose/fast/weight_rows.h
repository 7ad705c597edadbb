#pragma once

#include <pelt/core/skin_weights.h>

namespace pelt::pose {

/// Weights by rows of vertices in double precision: the handles' with sum 1, then those of extra weights. A row is also
/// the vertex's position in weight space.
struct WeightRows : CompressedRows {
    std::vector<std::uint32_t> columns;
    std::vector<double> values;

    std::size_t count() const { return rowCount(); }
    void append(std::uint32_t column, double value) {
        columns.push_back(column);
        values.push_back(value);
    }
    void endRow() { CompressedRows::endRow(columns.size()); }
};

/// The rows of the vertices listed in `chosen`. Throws Error (bad input) for one without weight, with a weight that is
/// negative or not finite, or with a handle beyond `handles`.
WeightRows rowsOf(const SkinWeights& weights, std::span<const std::uint32_t> chosen, std::size_t handles);

/// The squared distance of a row to a dense point with squared length `point_squared`.
double squaredDistance(const WeightRows& rows, std::size_t row, std::span<const double> point, double point_squared);

/// 0 where one handle has all weight, 1 as soon as others share it. `rows` are the handles' weights alone.
double fade(const WeightRows& rows, std::size_t row);

/// B-spline bumps in weight space, of one width.
struct Bumps {
    std::size_t handles = 0;
    std::vector<std::vector<double>> centers;  ///< dense points of weight space
    double spacing = 0;                        ///< of the knots

    double value(double distance) const;
};

/// At most `count` bumps at the points of `rows` that are farthest from the handles' unit vectors and each other.
Bumps chooseBumps(const WeightRows& rows, std::size_t handles, std::size_t count);

/// The same rows with the columns handles, handles + 1, … of the bumps.
WeightRows withBumps(const WeightRows& rows, const Bumps& bumps);

}  // namespace pelt::pose
