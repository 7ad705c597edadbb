#pragma once

#include <pelt/core/mat.h>

#include <span>

/// Nearest rotations without a singular value decomposition; the method is explained in rotation.cpp.
namespace pelt::runtime {

struct NearestRotation {
    Mat3d rotation;
    double largest = 0;  ///< s1, the largest singular value
    double gap = 0;      ///< (s2 + sign(det) s3) / s1: how well defined the rotation is
};

/// Below this gap the rotation is undefined: single-precision bones and sums of them are not more accurate.
constexpr double kNoGap = 2e-6;

/// The rotation that maximizes tr(R^T s); `fallback` if gap <= kNoGap or if s is zero or not finite.
NearestRotation nearestRotation(const Mat3d& s, const Mat3d& fallback = {}) noexcept;

/// The rotation R of a bone's linear part a = R · stretch, stretch symmetric. If a mirrors, the stretch mirrors too,
/// along the axis of the smallest singular value. If that is not unique (a mirrored rigid bone), it mirrors along the
/// rest-space axis nearest to the candidates, x before y before z, so that all joints mirror alike. The identity if a
/// is not finite.
Mat3d boneRotation(const Mat3d& a) noexcept;

/// The same for many single-precision matrices, computed by the code of the kernels; `fallback` as above.
void nearestRotations(std::span<const Mat3f> s, const Mat3f& fallback, std::span<Mat3f> rotations) noexcept;

}  // namespace pelt::runtime
