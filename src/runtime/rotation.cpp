// The rotation nearest to S = U diag(s1, s2, s3) V^T, R = U diag(1, 1, d) V^T with d = det(U V^T) = ±1, in closed form.
//
// cof(S) = d U diag(s2 s3, s1 s3, s1 s2) V^T has the same singular vectors, and so has
//     X = S + cof(S) / s1 = U diag(a, g, d g) V^T,    a = s1 + d s2 s3 / s1,    g = s2 + d s3,
// whose signs are already those of R: flat patches (s3 = 0) and reflections (d = -1) are not special cases. Only two
// values are left, so that R is a combination of X and cof(X) = U diag(g², a g, d a g) V^T · (d · d):
//     R = (X + cof(X) / g) / (a + g).
// Only s1 is needed: s1² is the largest root of the characteristic cubic of S^T S, from the trigonometric formula. An
// error in s1 leaves R with the right singular vectors and values 1 + e, so that a step of Newton's iteration for the
// orthogonal factor, R ← (R + R^-T) / 2, makes it e²/2. R is defined if g > 0; its rounding error grows with s1 / g.
#include <pelt/runtime/rotation.h>

#include <algorithm>

#include "runtime/layout/ddm_forms.h"

namespace pelt::runtime {
namespace {

Mat3d combine(const Mat3d& a, double s, const Mat3d& b, double t) { return a * s + b * t; }

double squaredNorm(const Mat3d& m) {
    return dot(m.col[0], m.col[0]) + dot(m.col[1], m.col[1]) + dot(m.col[2], m.col[2]);
}

/// Makes R orthogonal: R ← (R + R^-T) / 2
Mat3d newtonStep(const Mat3d& r) {
    const Mat3d c = cofactor(r);
    return combine(r, 0.5, c, 0.5 / dot(r.col[0], c.col[0]));
}

/// The largest eigenvalue of S^T S, whose trace is 1, from the sum of its principal minors and det S.
double largestSquared(double minors, double det) {
    const double p = std::sqrt(std::max(1 - 3 * minors, 1e-30));
    const double cosine = (2 - 9 * minors + 27 * det * det) / (2 * p * p * p);
    return (1 + 2 * p * std::cos(std::acos(std::clamp(cosine, -1.0, 1.0)) / 3)) / 3;
}

/// a of a mirroring bone whose two smallest singular values are equal.
Mat3d mirroredRotation(const Mat3d& a, double largest) {
    const Mat3d o = nearestRotation(a * -1.0).rotation * -1.0;
    const Mat3d stretch = transposed(o) * a;
    const double smallest = (stretch(0, 0) + stretch(1, 1) + stretch(2, 2) - largest) / 2;
    Mat3d projector;  // projection onto the space of the smallest singular value
    if (largest - smallest > kNoGap * largest)
        projector = combine(Mat3d{}, 1 + smallest / (largest - smallest), stretch, -1 / (largest - smallest));
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (projector(i, i) > projector(axis, axis) + 1e-3) axis = i;
    const Vec3d n = normalized(projector.col[axis], {1, 0, 0});
    const Mat3d mirror{
        {Vec3d{1, 0, 0} - n * (2 * n.x), Vec3d{0, 1, 0} - n * (2 * n.y), Vec3d{0, 0, 1} - n * (2 * n.z)}};
    return o * mirror;
}

}  // namespace

NearestRotation nearestRotation(const Mat3d& s, const Mat3d& fallback) noexcept {
    const double norm = std::sqrt(squaredNorm(s));
    if (!(norm > 1e-150 && norm < 1e150)) return {fallback, 0, 0};
    const Mat3d unit = s * (1 / norm), c = cofactor(unit);
    const double det = dot(unit.col[0], c.col[0]);
    const double squared = largestSquared(squaredNorm(c), det), s1 = std::sqrt(squared);

    const Mat3d x = combine(unit, 1, c, 1 / s1), cx = cofactor(x);
    // a cancels if all singular values of a reflection are equal; as the largest of X it is at least |X| / sqrt(3).
    const double a = std::max(s1 + det / squared, std::sqrt(squaredNorm(x) / 3));
    const double rough = std::max(0.0, 1 - squared + 2 * det / s1);     // g², up to cancellation
    const double g = std::sqrt(squaredNorm(cx) / (2 * a * a + rough));  // |cof X|² = g² (2 a² + g²)
    if (!(g > kNoGap * s1)) return {fallback, s1 * norm, g / s1};
    Mat3d r = combine(x, 1 / (a + g), cx, 1 / (g * (a + g)));
    for (int i = 0; i < 3; ++i) r = newtonStep(r);
    return {r, s1 * norm, g / s1};
}

Mat3d boneRotation(const Mat3d& a) noexcept {
    if (!isFinite(a.col[0]) || !isFinite(a.col[1]) || !isFinite(a.col[2])) return {};
    if (isRigid(a)) return newtonStep(a);
    const NearestRotation nearest = nearestRotation(a);
    const bool tied = determinant(a) < 0 && nearest.gap <= kNoGap && nearest.largest > 0;
    return tied ? mirroredRotation(a, nearest.largest) : nearest.rotation;
}

}  // namespace pelt::runtime
