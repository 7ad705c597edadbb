#pragma once

#include <pelt/core/mat.h>

#include <algorithm>
#include <cmath>

/// Constants that evaluation and its reference must share.
namespace pelt::runtime {

/// If A^T A is this close to the identity, the difference is rounding: the bone does not scale, shear or mirror.
constexpr double kRigid = 2e-6;

inline bool isRigid(const Mat3d& a) {
    double largest = 0;
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r <= c; ++r) largest = std::max(largest, std::abs(dot(a.col[r], a.col[c]) - (r == c ? 1 : 0)));
    return largest < kRigid && determinant(a) > 0;
}

/// A patch whose covariance has one extent this small relative to the others is treated as flat: single precision could
/// not determine the direction across it.
constexpr double kFlat = 1e-4;

/// Whether the covariance `p` (symmetric, positive semidefinite) is singular up to rounding: its smallest eigenvalue is
/// det / (the sum of the principal minors) within a factor of 3.
template <class T>
bool isFlat(const Mat3<T>& p) {
    const Mat3<T> c = cofactor(p);
    const T minors = c(0, 0) + c(1, 1) + c(2, 2), trace = p(0, 0) + p(1, 1) + p(2, 2);
    return !(determinant(p) > T(kFlat) * minors * trace);
}

}  // namespace pelt::runtime
