#pragma once

#include <pelt/core/vec.h>

#include <limits>
#include <span>

namespace pelt::geometry {

/// An axis-aligned box.
struct Box {
    Vec3d low, high;

    /// An empty box, which grow() extends.
    static constexpr Box none() {
        constexpr double kFar = std::numeric_limits<double>::infinity();
        return {{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
    }
    void grow(const Vec3d& p) {
        for (int k = 0; k < 3; ++k) {
            if (p[k] < low[k]) low[k] = p[k];
            if (p[k] > high[k]) high[k] = p[k];
        }
    }
    Vec3d center() const { return (low + high) * 0.5; }
    double diagonal() const { return length(high - low); }
};

/// The smallest box that contains all points; the origin if there are none. Points that are not finite are ignored.
Box boundingBox(std::span<const Vec3f> points);
Box boundingBox(std::span<const Vec3d> points);

/// The length of that box's diagonal.
double boundingDiagonal(std::span<const Vec3f> points);

}  // namespace pelt::geometry
