// The smallest enclosing ball as an LP-type problem: keep the at most four points that determine the ball, add the
// point that is farthest outside, and solve the five-point problem by trying every subset. The radius grows with each
// step, so the iteration terminates; the farthest-point rule (Gaertner, "Fast and robust smallest enclosing balls",
// 1999) makes the number of passes over the points small.
#include <pelt/geometry/bounding_sphere.h>

#include <algorithm>
#include <array>
#include <optional>

namespace pelt::geometry {
namespace {

constexpr double kSlack = 1e-12;  // relative tolerance for inside, well above the rounding of a squared distance

struct Ball {
    Vec3d center;
    double squared_radius = 0;
};

struct Support {
    std::array<Vec3d, 5> points;
    int count = 0;
};

double squaredLength(const Vec3d& v) { return dot(v, v); }

/// The ball through all points, centered in their affine hull: with q_i = p_i - p_0 its center c has 2 q_i . c =
/// |q_i|^2 and c = sum x_k q_k. None if the points are affinely dependent.
std::optional<Ball> circumscribed(std::span<const Vec3d> points) {
    const int n = static_cast<int>(points.size()) - 1;
    double a[3][4] = {};
    Vec3d q[3];
    for (int i = 0; i < n; ++i) q[i] = points[i + 1] - points[0];
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) a[i][k] = 2 * dot(q[i], q[k]);
        a[i][3] = dot(q[i], q[i]);
    }
    for (int i = 0; i < n; ++i) {  // Gaussian elimination; positive definite, so no pivoting
        const double scale = 2 * dot(q[i], q[i]);
        if (!(a[i][i] > 1e-14 * scale)) return std::nullopt;
        for (int row = 0; row < n; ++row) {
            if (row == i) continue;
            const double factor = a[row][i] / a[i][i];
            for (int k = i; k < 4; ++k) a[row][k] -= factor * a[i][k];
        }
    }
    Vec3d offset;
    for (int i = 0; i < n; ++i) offset += q[i] * (a[i][3] / a[i][i]);
    return Ball{points[0] + offset, squaredLength(offset)};
}

/// The smallest circumscribed ball of a subset that holds all five (or fewer) points; the subset becomes the support.
Ball solveSmall(Support& support) {
    Ball best;
    Support best_support;
    for (unsigned subset = 1; subset < 1u << support.count; ++subset) {
        Support candidate;
        for (int i = 0; i < support.count; ++i) {
            if (subset >> i & 1) candidate.points[candidate.count++] = support.points[i];
        }
        if (candidate.count > 4) continue;
        const auto ball = circumscribed(std::span(candidate.points).first(candidate.count));
        if (!ball || (best_support.count > 0 && ball->squared_radius >= best.squared_radius)) continue;
        const bool holds_all = std::all_of(
            support.points.begin(), support.points.begin() + support.count,
            [&](const Vec3d& p) { return squaredLength(p - ball->center) <= ball->squared_radius * (1 + kSlack); });
        if (!holds_all) continue;
        best = *ball;
        best_support = candidate;
    }
    support = best_support;
    return best;
}

struct Farthest {
    Vec3d point;
    double squared_distance = -1;
};

Farthest farthestFrom(std::span<const Vec3f> points, const Vec3d& center) {
    Farthest farthest;
    for (const Vec3f& f : points) {
        const Vec3d p(f);
        const double d = squaredLength(p - center);
        if (d > farthest.squared_distance && isFinite(f)) farthest = {p, d};
    }
    return farthest;
}

}  // namespace

Sphere smallestEnclosingSphere(std::span<const Vec3f> points) {
    const auto first = std::find_if(points.begin(), points.end(), [](const Vec3f& p) { return isFinite(p); });
    if (first == points.end()) return {};

    Ball ball{Vec3d(*first), 0};
    Support support;
    support.points[support.count++] = ball.center;
    for (;;) {
        const Farthest farthest = farthestFrom(points, ball.center);
        const Sphere sphere{ball.center, std::sqrt(farthest.squared_distance)};
        if (farthest.squared_distance <= ball.squared_radius * (1 + kSlack)) return sphere;
        support.points[support.count++] = farthest.point;
        const Ball grown = solveSmall(support);
        // Rounding can end the growth slightly early: the ball is then correct up to rounding.
        if (support.count == 0 || !(grown.squared_radius > ball.squared_radius)) return sphere;
        ball = grown;
    }
}

namespace {

struct Span {
    Vec3d first, far,
        normal;  ///< vector from the first vertex to the farthest; normal of the largest triangle with both
    bool flat = true;
};

Span spanOf(std::span<const Vec3f> positions) {
    Span span;
    if (positions.empty()) return span;
    span.first = Vec3d(positions[0]);
    for (const Vec3f& p : positions)
        if (length(Vec3d(p) - span.first) > length(span.far)) span.far = Vec3d(p) - span.first;
    for (const Vec3f& p : positions)
        if (const Vec3d n = cross(span.far, Vec3d(p) - span.first); length(n) > length(span.normal)) span.normal = n;
    const Vec3d up = normalized(span.normal);
    span.flat = std::all_of(positions.begin(), positions.end(), [&](const Vec3f& p) {
        return std::abs(dot(up, Vec3d(p) - span.first)) <= kFlat * length(span.far);
    });
    return span;
}

}  // namespace

bool isFlat(std::span<const Vec3f> positions) { return spanOf(positions).flat; }

std::optional<Vec3d> planeNormal(std::span<const Vec3f> positions) {
    const Span span = spanOf(positions);
    if (!span.flat || !(length(span.normal) > kFlat * dot(span.far, span.far))) return std::nullopt;
    return normalized(span.normal);
}

}  // namespace pelt::geometry
