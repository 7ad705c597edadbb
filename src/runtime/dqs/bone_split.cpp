// The right polar decomposition A = R S from R alone, S = R^T A. Notation: s1 ≥ s2 ≥ s3 the singular values of A.
#include "bone_split.h"

#include <pelt/core/quat.h>
#include <pelt/runtime/rotation.h>

#include <algorithm>
#include <cmath>

namespace pelt::runtime {
namespace {

double largestOf(const Mat3d& m) {
    double largest = 0;
    for (const Vec3d& c : m.col) largest = std::max({largest, std::abs(c.x), std::abs(c.y), std::abs(c.z)});
    return largest;
}

/// R if s2 and s3 are 0 up to rounding, A = s1 u v^T: the nearest rotation is not unique; the shortest one from v to u
/// gives the symmetric stretch s1 v v^T.
Mat3d rotationOfOneDirection(const Mat3d& a) {
    const Mat3d rows = transposed(a);
    int longest = 0;
    for (int i = 1; i < 3; ++i)
        if (dot(rows.col[i], rows.col[i]) > dot(rows.col[longest], rows.col[longest])) longest = i;
    const Vec3d v = normalized(rows.col[longest], {1, 0, 0}), u = normalized(a * v, v);
    const double cosine = dot(u, v);
    if (cosine > -1 + 1e-12) {
        const Vec3d axis = cross(v, u);
        return toMatrix(normalized(Quatd{axis.x, axis.y, axis.z, 1 + cosine}));
    }
    const Vec3d across = std::abs(v.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    const Vec3d n = normalized(cross(v, across));  // a rotation by 180° about an axis perpendicular to v
    return toMatrix(Quatd{n.x, n.y, n.z, 0});
}

/// The reflection in a stretch with eigenvalues s1, s2 and -s3, if s3 is not negligible.
bool reflectionIn(const Mat3d& stretch, double s1, double det, Mat3d& mirror) {
    const double gap = stretch(0, 0) + stretch(1, 1) + stretch(2, 2) - s1, product = -det / s1;  // s2 − s3 and s2 s3
    const double s3 = 2 * product / (gap + std::sqrt(gap * gap + 4 * product)), s2 = gap + s3;
    if (!(s3 > kNoGap * s1)) return false;
    const Mat3d projector = (stretch + Mat3d{} * -s1) * (stretch + Mat3d{} * -s2);  // onto the axis of -s3, scaled
    int longest = 0;
    for (int i = 1; i < 3; ++i)
        if (dot(projector.col[i], projector.col[i]) > dot(projector.col[longest], projector.col[longest])) longest = i;
    const Vec3d n = normalized(projector.col[longest], {1, 0, 0});
    for (int c = 0; c < 3; ++c) mirror.col[c] -= n * (2 * n[c]);
    return true;
}

}  // namespace

BoneSplit splitBone(const Mat3d& a) noexcept {
    if (!isFinite(a.col[0]) || !isFinite(a.col[1]) || !isFinite(a.col[2])) return {};
    BoneSplit split;
    split.rotation = boneRotation(a);
    Mat3d s = transposed(split.rotation) * a;
    if (largestOf(s + transposed(s) * -1.0) > kNoGap * largestOf(s)) {
        split.rotation = rotationOfOneDirection(a);
        s = transposed(split.rotation) * a;
    }
    split.stretch = (s + transposed(s)) * 0.5;
    const double det = determinant(a);
    if (det < 0) split.mirrored = reflectionIn(split.stretch, nearestRotation(a).largest, det, split.mirror);
    return split;
}

}  // namespace pelt::runtime
