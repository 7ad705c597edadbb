#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>

#include <cstdint>
#include <span>
#include <vector>

namespace pelt::geometry {

/// How much of every pixel of a picture a figure covers, 0 to 255, row by row from the top.
struct Coverage {
    std::size_t width = 0, height = 0;
    std::span<const std::uint8_t> values;
};

/// A flat mesh of triangles. Its points are in pixels of the picture, x to the right and y upward from the lower left
/// corner.
struct FlatFigure {
    std::vector<Vec2<double>> points;
    std::vector<Triangle> triangles;   ///< counterclockwise, sorted by island
    std::vector<std::size_t> islands;  ///< per island, the number of its triangles
    double smallest_angle = 0;         ///< of all corners, in degrees
};

/// Cuts a figure out of a picture: its outline is where a quarter of a pixel is covered, widened by a fraction of a
/// triangle where triangles are large, so that what is seen of the figure is inside; holes and islands are kept, except
/// for specks. The mesh has about `triangles` triangles of even size, more where the outline needs it; no corner is
/// sharper than kLeastAngle. Points of different islands are apart. Throws Error (bad input) for a picture without a
/// figure, (bad usage) for fewer than one triangle; cancelled if `progress` requests it.
FlatFigure cutFigure(const Coverage& coverage, std::size_t triangles, const Progress& progress = {});

inline constexpr double kLeastAngle = 15;  ///< degrees

}  // namespace pelt::geometry
