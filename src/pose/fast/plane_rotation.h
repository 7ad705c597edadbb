#pragma once

#include <pelt/core/mat.h>

#include <cmath>

namespace pelt::pose {

/// The rotation R about a unit normal n that maximizes tr(R^T S): the best one for edges e of a flat figure that stays
/// in its plane, S = Σ c e' e^T. With R = cos θ (I - n n^T) + sin θ [n]x + n n^T,
///     tr(R^T S) = cos θ (tr S - n^T S n) + sin θ n · axial(S) + n^T S n.
/// `last`: if every rotation is as good. Of S^T it is R^T.
inline Mat3d planeRotation(const Mat3d& s, const Vec3d& n, const Mat3d& last) {
    const Vec3d axial{s(2, 1) - s(1, 2), s(0, 2) - s(2, 0), s(1, 0) - s(0, 1)};
    double cosine = s(0, 0) + s(1, 1) + s(2, 2) - dot(n, s * n), sine = dot(n, axial);
    const double size = std::hypot(cosine, sine);
    if (!(size > 0)) return last;
    cosine /= size;
    sine /= size;
    Mat3d r;
    for (int a = 0; a < 3; ++a) {
        Vec3d axis;
        axis[a] = 1;
        r.col[a] = axis * cosine + cross(n, axis) * sine + n * (n[a] * (1 - cosine));
    }
    return r;
}

}  // namespace pelt::pose
