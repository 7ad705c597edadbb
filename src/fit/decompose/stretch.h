#pragma once

#include <pelt/core/quat.h>

namespace pelt::fit {

/// A = R · Q D Qᵀ: a rotation after a stretch along the axes Q, columns of a rotation. D has negative entries if A
/// mirrors.
struct Stretch {
    Mat3d rotation;        ///< R
    Mat3d axes;            ///< Q
    Vec3d scale{1, 1, 1};  ///< D
};

/// Of the possible decompositions of A (axes in any order and of either sign, any axes of an isotropic subspace, the
/// choice of the mirrored axis), the one closest to the previous frame, so that keys can be interpolated. Defined for
/// every A.
Stretch stretchNear(const Mat3d& a, const Stretch& before);

/// Whether A is a rotation to single precision.
bool isRotation(const Mat3d& a);

}  // namespace pelt::fit
