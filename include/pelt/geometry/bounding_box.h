#pragma once

#include <pelt/core/vec.h>

#include <limits>
#include <span>

namespace pelt::geometry {

/// A box along the axes.
struct Box {
    Vec3d low, high;

    /// Holds nothing, until it grows.
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

/// The smallest box that holds every point; a point at 0 for none. Points that are not finite are left out.
Box boundingBox(std::span<const Vec3f> points);
Box boundingBox(std::span<const Vec3d> points);

/// The length of that box's diagonal.
double boundingDiagonal(std::span<const Vec3f> points);

}  // namespace pelt::geometry
