#pragma once

#include <pelt/core/mat.h>

namespace pelt::deform {

/// A = R · stretch, with R a rotation and `stretch` symmetric (right polar decomposition).
struct Polar {
    Mat3d rotation;
    Mat3d stretch;
    /// The part of `stretch` that mirrors: the identity, or the reflection that it contains where det A < 0.
    Mat3d mirror;
    bool mirrored = false;
};

/// Total: a singular or zero matrix gets some rotation, one that is not finite counts as the identity. Of a matrix
/// that mirrors, the axis of the smallest singular value is mirrored; where singular values tie (a mirrored rigid
/// bone), the rest-space axis next to that space, x before y before z, so that all joints mirror alike.
Polar polarDecompose(const Mat3d& a) noexcept;

}  // namespace pelt::deform
