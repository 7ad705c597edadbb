#pragma once

#include <pelt/core/mat.h>

#include <span>

/// Nearest rotations without a singular value decomposition; see rotation.cpp for how.
namespace pelt::runtime {

struct NearestRotation {
    Mat3d rotation;
    double largest = 0;  ///< s1, the largest singular value
    double gap = 0;      ///< (s2 + sign(det) s3) / s1: how well defined the rotation is
};

/// Singular values nearer than this, relative to the largest, say nothing: float bones and sums of them are no better.
constexpr double kNoGap = 2e-6;

/// The rotation that maximises tr(R^T s); `fallback` where gap <= kNoGap, s is zero or not finite.
NearestRotation nearestRotation(const Mat3d& s, const Mat3d& fallback = {}) noexcept;

/// The rotation R of a bone's linear part a = R · stretch, stretch symmetric. Where a mirrors, so does the stretch,
/// along the axis of the smallest singular value; where that ties (a mirrored rigid bone), along the rest-space axis
/// next to that space, x before y before z, so that all joints mirror alike. The identity for what is not finite.
Mat3d boneRotation(const Mat3d& a) noexcept;

/// The same for many float matrices by the kernels' code; `fallback` as above.
void nearestRotations(std::span<const Mat3f> s, const Mat3f& fallback, std::span<Mat3f> rotations) noexcept;

}  // namespace pelt::runtime
