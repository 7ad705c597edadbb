// The frame of the surface at a vertex, in which the deltas of Delta Mush are stored.
#include "frames.h"

#include <pelt/runtime/rotation.h>

#include "deform/dqs/polar.h"

namespace pelt::deform {
namespace {

/// An orthonormal basis whose third axis is the normal; which way the other two point does not matter.
Mat3d basisOf(const Vec3d& normal) {
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (std::abs(normal[i]) < std::abs(normal[axis])) axis = i;
    Vec3d along;
    along[axis] = 1;
    const Vec3d first = normalized(cross(normal, along));
    return {{first, cross(normal, first), normal}};
}

Vec3d normalAt(std::span<const Corner> corners, std::size_t vertex, std::span<const Vec3d> positions) {
    constexpr double kCancelled = 1e-6;  // coincident faces, such as a skin and its lining, cancel to rounding error
    Vec3d sum;
    double size = 0;
    for (const Corner& c : corners) {
        const Vec3d face = cross(positions[c.next] - positions[vertex], positions[c.last] - positions[vertex]);
        sum += face;
        size += length(face);
    }
    return length(sum) > kCancelled * size ? normalized(sum) : Vec3d{};
}

/// The best-fit rotation in the plane between pairs of vectors, as a complex number: Σ conj(a) b.
struct Turn {
    double re = 0, im = 0;

    void add(const Vec3d& a, const Vec3d& b) {
        re += a.x * b.x + a.y * b.y;
        im += a.x * b.y - a.y * b.x;
    }
};

}  // namespace

Mat3d nearestRotation(const Mat3d& a) noexcept {
    constexpr double kClear = 1e-4;  // of the singular values; for less, the slower decomposition is more precise
    const runtime::NearestRotation nearest = runtime::nearestRotation(a);
    return nearest.gap > kClear ? nearest.rotation : polarDecompose(a).rotation;
}

VertexCorners::VertexCorners(std::span<const Triangle> triangles, std::size_t vertex_count) {
    offsets.assign(vertex_count + 1, 0);
    for (const Triangle& t : triangles)
        for (const std::uint32_t v : t) ++offsets[v + 1];
    for (std::size_t v = 0; v < vertex_count; ++v) offsets[v + 1] += offsets[v];
    corners.resize(offsets.back());
    std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
    for (const Triangle& t : triangles)
        for (int c = 0; c < 3; ++c) corners[next[t[c]]++] = {t[(c + 1) % 3], t[(c + 2) % 3]};
}

bool tangentRotation(std::span<const Corner> corners, std::size_t vertex, std::span<const Vec3d> rest,
                     std::span<const Vec3d> posed, Mat3d& out) noexcept {
    const Vec3d n = normalAt(corners, vertex, rest), m = normalAt(corners, vertex, posed);
    if (n == Vec3d{} || m == Vec3d{}) return false;
    const Mat3d from = basisOf(n), to = basisOf(m), into_from = transposed(from), into_to = transposed(to);
    Turn turn;
    for (const Corner& c : corners)
        for (const std::uint32_t k : {c.next, c.last})
            turn.add(into_from * (rest[k] - rest[vertex]), into_to * (posed[k] - posed[vertex]));
    const double size = std::hypot(turn.re, turn.im);
    if (!(size > 0)) return false;
    const double cosine = turn.re / size, sine = turn.im / size;
    out = to * Mat3d{{{cosine, sine, 0}, {-sine, cosine, 0}, {0, 0, 1}}} * into_from;
    return true;
}

}  // namespace pelt::deform
