#pragma once

#include <pelt/core/vec.h>

namespace pelt {

/// 3x3 matrix stored by columns; acts on column vectors.
template <class T>
struct Mat3 {
    Vec3<T> col[3] = {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};

    constexpr T operator()(int row, int column) const { return col[column][row]; }
    constexpr T& operator()(int row, int column) { return col[column][row]; }

    friend constexpr Vec3<T> operator*(const Mat3& m, const Vec3<T>& v) {
        return m.col[0] * v.x + m.col[1] * v.y + m.col[2] * v.z;
    }
    friend constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
        return {{a * b.col[0], a * b.col[1], a * b.col[2]}};
    }
    friend constexpr Mat3 operator*(const Mat3& a, T s) { return {{a.col[0] * s, a.col[1] * s, a.col[2] * s}}; }
    friend constexpr Mat3 operator+(const Mat3& a, const Mat3& b) {
        return {{a.col[0] + b.col[0], a.col[1] + b.col[1], a.col[2] + b.col[2]}};
    }
    friend constexpr bool operator==(const Mat3& a, const Mat3& b) {
        return a.col[0] == b.col[0] && a.col[1] == b.col[1] && a.col[2] == b.col[2];
    }
};

using Mat3f = Mat3<float>;
using Mat3d = Mat3<double>;

template <class T>
constexpr Mat3<T> transposed(const Mat3<T>& m) {
    return {{{m.col[0].x, m.col[1].x, m.col[2].x},
             {m.col[0].y, m.col[1].y, m.col[2].y},
             {m.col[0].z, m.col[1].z, m.col[2].z}}};
}

template <class T>
constexpr T determinant(const Mat3<T>& m) {
    return dot(m.col[0], cross(m.col[1], m.col[2]));
}

/// The cofactor matrix: det(m) times the inverse transpose, defined for singular matrices too. It transforms normals by
/// `m`, up to length (and sign, if `m` mirrors).
template <class T>
constexpr Mat3<T> cofactor(const Mat3<T>& m) {
    return {{cross(m.col[1], m.col[2]), cross(m.col[2], m.col[0]), cross(m.col[0], m.col[1])}};
}

/// The inverse; its entries are not finite if `m` is singular.
template <class T>
constexpr Mat3<T> inverse(const Mat3<T>& m) {
    return transposed(cofactor(m)) * (T(1) / determinant(m));
}

}  // namespace pelt
