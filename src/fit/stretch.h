#pragma once

#include <pelt/core/quat.h>

namespace pelt::fit {

/// A = R · Q D Qᵀ: a rotation after a stretch along the axes Q, columns of a rotation. D has negative entries where A
/// mirrors.
struct Stretch {
    Mat3d rotation;        ///< R
    Mat3d axes;            ///< Q
    Vec3d scale{1, 1, 1};  ///< D
};

/// Of the decompositions that A has (the axes in any order and of either sign, any axes in a space that is stretched
/// evenly, the mirrored axis), the one nearest to the frame before, so that keys can be interpolated. Total.
Stretch stretchNear(const Mat3d& a, const Stretch& before);

/// Whether A is a rotation to single precision.
bool isRotation(const Mat3d& a);

}  // namespace pelt::fit
