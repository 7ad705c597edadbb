#pragma once

#include <pelt/render/render.h>

namespace pelt::render {

/// Maps world space to the space in which pictures are computed: the frame's sphere is at the origin with radius 1, so
/// that no distance in the renderer depends on the units of a file.
struct Normalization {
    Vec3d center;
    double scale = 1;

    explicit Normalization(const Frame& frame);
    Vec3f operator()(const Vec3f& p) const { return Vec3f((Vec3d(p) - center) * scale); }
};

/// A camera fitted to a frame, in normalized space.
struct View {
    Vec3f right, up, back;  ///< orthonormal; `back` points from the subject to the eye
    Vec3f eye;
    float half_width = 1, half_height = 1;  ///< of the picture at distance 1; in parallel projection, of the picture
    bool parallel = false;

    /// The ray through a point of the picture, with coordinates -1..1 to the right and up.
    Vec3f origin(float x, float y) const {
        return parallel ? eye + right * (x * half_width) + up * (y * half_height) : eye;
    }
    Vec3f direction(float x, float y) const {
        return parallel ? -back : normalized(right * (x * half_width) + up * (y * half_height) - back);
    }
};

/// Throws Error (bad usage) for a camera with values out of range.
View fitView(const Frame& frame, const Camera& camera, float aspect);

}  // namespace pelt::render
