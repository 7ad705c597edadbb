#pragma once

#include <pelt/core/vec.h>

#include <cmath>

/// Points of a plane.
namespace pelt::geometry::flat {

using Point = Vec2<double>;

inline Point plus(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
inline Point minus(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
inline Point times(Point a, double s) { return {a.x * s, a.y * s}; }
inline Point between(Point a, Point b, double t) { return plus(times(a, 1 - t), times(b, t)); }
inline double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
inline double cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }
inline double squared(Point a) { return dot(a, a); }
inline double distance(Point a, Point b) { return std::sqrt(squared(minus(a, b))); }
/// Twice the area of a triangle, positive if it is counterclockwise.
inline double turn(Point a, Point b, Point c) { return cross(minus(b, a), minus(c, a)); }

}  // namespace pelt::geometry::flat
