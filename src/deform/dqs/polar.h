#pragma once

#include <pelt/core/mat.h>

namespace pelt::deform {

/// A = R · stretch, with R a rotation and `stretch` symmetric (right polar decomposition).
struct Polar {
    Mat3d rotation;
    Mat3d stretch;
    /// The part of `stretch` that mirrors: the identity, or the reflection that it contains if det A < 0.
    Mat3d mirror;
    bool mirrored = false;
};

/// Defined for all matrices: a singular or zero matrix gets some rotation, a non-finite one is treated as the identity.
/// If the matrix mirrors, the axis of the smallest singular value is mirrored; if that is not unique (a mirrored rigid
/// bone), the rest-space axis nearest to the candidates, x before y before z, so that all joints mirror alike.
Polar polarDecompose(const Mat3d& a) noexcept;

}  // namespace pelt::deform
