#pragma once

#include <pelt/core/mat.h>

namespace pelt {

/// Rotation as a quaternion, glTF's order (x, y, z, w). Functions expect unit length unless they say otherwise.
template <class T>
struct Quat {
    T x{}, y{}, z{}, w{T(1)};

    friend constexpr Quat operator*(const Quat& a, const Quat& b) {
        return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
    }
    friend constexpr bool operator==(const Quat&, const Quat&) = default;
};

using Quatf = Quat<float>;
using Quatd = Quat<double>;

template <class T>
constexpr T dot(const Quat<T>& a, const Quat<T>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

/// `q` with unit length; the identity if `q` is zero or not finite.
template <class T>
Quat<T> normalized(const Quat<T>& q) {
    const T l = std::sqrt(dot(q, q));
    if (!(l > T(0)) || !std::isfinite(l)) return {};
    return {q.x / l, q.y / l, q.z / l, q.w / l};
}

template <class T>
constexpr Quat<T> conjugate(const Quat<T>& q) {
    return {-q.x, -q.y, -q.z, q.w};
}

/// The one of the two quaternions of a rotation that is nearer to `other`.
template <class T>
constexpr Quat<T> nearerTo(const Quat<T>& other, const Quat<T>& q) {
    return dot(q, other) < T(0) ? Quat<T>{-q.x, -q.y, -q.z, -q.w} : q;
}

template <class T>
constexpr Mat3<T> toMatrix(const Quat<T>& q) {
    const T xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const T xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const T wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return {{{T(1) - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)},
             {2 * (xy - wz), T(1) - 2 * (xx + zz), 2 * (yz + wx)},
             {2 * (xz + wy), 2 * (yz - wx), T(1) - 2 * (xx + yy)}}};
}

/// The rotation by `angle` radians about `axis` (any length but zero).
template <class T>
Quat<T> axisAngle(const Vec3<T>& axis, T angle) {
    const Vec3<T> a = normalized(axis) * std::sin(angle / 2);
    return {a.x, a.y, a.z, std::cos(angle / 2)};
}

/// The quaternion of a rotation matrix (det +1, orthogonal to rounding); branches on the largest component.
template <class T>
Quat<T> toQuat(const Mat3<T>& m) {
    const T trace = m(0, 0) + m(1, 1) + m(2, 2);
    Quat<T> q;
    if (trace > T(0)) {
        q = {m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1), T(1) + trace};
    } else if (m(0, 0) >= m(1, 1) && m(0, 0) >= m(2, 2)) {
        q = {T(1) + m(0, 0) - m(1, 1) - m(2, 2), m(0, 1) + m(1, 0), m(0, 2) + m(2, 0), m(2, 1) - m(1, 2)};
    } else if (m(1, 1) >= m(2, 2)) {
        q = {m(0, 1) + m(1, 0), T(1) + m(1, 1) - m(0, 0) - m(2, 2), m(1, 2) + m(2, 1), m(0, 2) - m(2, 0)};
    } else {
        q = {m(0, 2) + m(2, 0), m(1, 2) + m(2, 1), T(1) + m(2, 2) - m(0, 0) - m(1, 1), m(1, 0) - m(0, 1)};
    }
    return normalized(q);
}

/// Spherical interpolation along the shorter arc.
template <class T>
Quat<T> slerp(const Quat<T>& a, const Quat<T>& to, T t) {
    const Quat<T> b = nearerTo(a, to);
    const T cosine = dot(a, b);
    T u = T(1) - t, v = t;
    if (cosine < T(0.9995)) {
        const T angle = std::acos(cosine), s = std::sin(angle);
        u = std::sin(u * angle) / s;
        v = std::sin(v * angle) / s;
    }
    return normalized(Quat<T>{a.x * u + b.x * v, a.y * u + b.y * v, a.z * u + b.z * v, a.w * u + b.w * v});
}

}  // namespace pelt
