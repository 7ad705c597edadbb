#pragma once

#include <pelt/geometry/flat_figure.h>

#include <optional>
#include <vector>

#include "plane.h"

namespace pelt::geometry::flat {

using Loop = std::vector<Point>;  ///< a closed polyline

/// The outline of a figure: loops with the figure to their left, so that those around holes are clockwise.
struct Outline {
    std::vector<Loop> loops;
    double area = 0;
    std::size_t islands = 0;
};

/// A picture at a size in which outlines are traced quickly and finely, and the distance of each of its pixels to the
/// figure.
class OutlineTracer {
public:
    explicit OutlineTracer(const Coverage& coverage);

    double pixel() const { return pixel_; }  ///< the size of a pixel here, in pixels of the picture
    /// The outline of the figure as it is.
    const Outline& outline() const { return outline_; }
    /// The outline widened by a distance, in pixels of the picture; none if islands or holes would merge.
    std::optional<Outline> widened(double distance) const;

private:
    void findDistances();
    Outline traced(const std::vector<float>& field) const;

    std::size_t width_ = 0, height_ = 0;  ///< with an empty border
    double pixel_ = 1, picture_height_ = 0;
    float covered_ = 0;            ///< the outline is where more than this is covered
    std::vector<float> cover_;     ///< 0 to 1
    std::vector<float> distance_;  ///< to the figure, in pixels of this picture
    Outline outline_;
};

}  // namespace pelt::geometry::flat
