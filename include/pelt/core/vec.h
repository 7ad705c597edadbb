#pragma once

#include <cmath>

namespace pelt {

template <class T>
struct Vec2 {
    T x{}, y{};
    friend constexpr bool operator==(const Vec2&, const Vec2&) = default;
};

template <class T>
struct Vec3 {
    T x{}, y{}, z{};

    constexpr Vec3() = default;
    constexpr Vec3(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
    template <class U>
    explicit constexpr Vec3(const Vec3<U>& v)
        : x(static_cast<T>(v.x)), y(static_cast<T>(v.y)), z(static_cast<T>(v.z)) {}

    constexpr T& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
    constexpr const T& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }

    constexpr Vec3& operator+=(const Vec3& o) { return *this = *this + o; }
    constexpr Vec3& operator-=(const Vec3& o) { return *this = *this - o; }
    constexpr Vec3& operator*=(T s) { return *this = *this * s; }

    friend constexpr Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend constexpr Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
    friend constexpr Vec3 operator*(const Vec3& a, T s) { return {a.x * s, a.y * s, a.z * s}; }
    friend constexpr Vec3 operator*(T s, const Vec3& a) { return a * s; }
    friend constexpr Vec3 operator/(const Vec3& a, T s) { return {a.x / s, a.y / s, a.z / s}; }
    friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

template <class T>
struct Vec4 {
    T x{}, y{}, z{}, w{};
    friend constexpr bool operator==(const Vec4&, const Vec4&) = default;
};

using Vec2f = Vec2<float>;
using Vec3f = Vec3<float>;
using Vec3d = Vec3<double>;
using Vec4f = Vec4<float>;

template <class T>
constexpr T dot(const Vec3<T>& a, const Vec3<T>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class T>
constexpr Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class T>
T length(const Vec3<T>& a) {
    return std::sqrt(dot(a, a));
}

/// `a` with length 1; `fallback` if `a` has no direction (zero or not finite).
template <class T>
Vec3<T> normalized(const Vec3<T>& a, const Vec3<T>& fallback = {}) {
    const T l = length(a);
    return l > T(0) && std::isfinite(l) ? a / l : fallback;
}

template <class T>
bool isFinite(const Vec3<T>& a) {
    return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

}  // namespace pelt
