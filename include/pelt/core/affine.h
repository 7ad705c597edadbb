#pragma once

#include <pelt/core/quat.h>

namespace pelt {

/// An affine map `x' = M x`, stored as in engines: a 4x4 matrix by columns whose last row is (0, 0, 0, 1). These are
/// sixteen consecutive numbers, so a palette of engine matrices can be passed without conversion.
template <class T>
struct alignas(16) Affine3 {
    T m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

    constexpr Affine3() = default;
    constexpr Affine3(const Mat3<T>& a, const Vec3<T>& t)
        : m{a.col[0].x, a.col[0].y, a.col[0].z, 0, a.col[1].x, a.col[1].y, a.col[1].z, 0,
            a.col[2].x, a.col[2].y, a.col[2].z, 0, t.x,        t.y,        t.z,        1} {}
    template <class U>
    explicit constexpr Affine3(const Affine3<U>& o) {
        for (int i = 0; i < 16; ++i) m[i] = static_cast<T>(o.m[i]);
    }

    constexpr Mat3<T> linear() const { return {{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}}; }
    constexpr Vec3<T> translation() const { return {m[12], m[13], m[14]}; }

    friend constexpr Vec3<T> operator*(const Affine3& a, const Vec3<T>& v) { return a.linear() * v + a.translation(); }
    friend constexpr Affine3 operator*(const Affine3& a, const Affine3& b) {
        return {a.linear() * b.linear(), a * b.translation()};
    }
    /// Exact comparison, number by number.
    friend constexpr bool operator==(const Affine3&, const Affine3&) = default;
};

using Affine3f = Affine3<float>;
using Affine3d = Affine3<double>;

/// Exact comparison, number by number.
template <class T>
constexpr bool isIdentity(const Affine3<T>& a) {
    return a == Affine3<T>();
}

/// The inverse map; its entries are not finite if `a` is singular.
template <class T>
constexpr Affine3<T> inverse(const Affine3<T>& a) {
    const Mat3<T> i = inverse(a.linear());
    return {i, -(i * a.translation())};
}

/// Translation · rotation · scale, as glTF composes a node's local transform.
struct Trs {
    Vec3d translation;
    Quatd rotation;
    Vec3d scale{1, 1, 1};
};

constexpr Affine3d toAffine(const Trs& trs) {
    const Mat3d r = toMatrix(trs.rotation);
    return {Mat3d{{r.col[0] * trs.scale.x, r.col[1] * trs.scale.y, r.col[2] * trs.scale.z}}, trs.translation};
}

}  // namespace pelt
