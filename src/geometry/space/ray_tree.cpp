// A tree over triangles for rays and nearest points, and whether a point is enclosed.
#include <pelt/geometry/ray_tree.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "geometry/mesh/check.h"

namespace pelt::geometry {
namespace {

constexpr std::uint32_t kLeafFaces = 4;
constexpr int kDirections = 15;  // odd, so that the median is one of them
/// Median splits halve the number of faces, so the depth of the tree is at most the number of bits of that number.
constexpr int kStack = 64;

/// Directions spread evenly over the sphere on a spiral, aligned with none of the axes that models are built along.
const std::array<Vec3d, kDirections>& directions() {
    static const auto spiral = [] {
        std::array<Vec3d, kDirections> all;
        const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
        for (int i = 0; i < kDirections; ++i) {
            const double z = 1 - (2 * i + 1.0) / kDirections, r = std::sqrt(1 - z * z), angle = golden * i + 0.1;
            all[static_cast<std::size_t>(i)] = {r * std::cos(angle), r * std::sin(angle), z};
        }
        return all;
    }();
    return spiral;
}

/// Whether the ray intersects the box between 0 and t_max.
bool meets(const Box& box, const Vec3d& origin, const Vec3d& direction, double t_max) {
    double enter = 0, leave = t_max;
    for (int k = 0; k < 3; ++k) {
        if (direction[k] == 0) {
            if (origin[k] < box.low[k] || origin[k] > box.high[k]) return false;
            continue;
        }
        const double a = (box.low[k] - origin[k]) / direction[k], b = (box.high[k] - origin[k]) / direction[k];
        enter = std::max(enter, std::min(a, b));
        leave = std::min(leave, std::max(a, b));
    }
    return enter <= leave * (1 + 1e-12);
}

/// Neighboring faces each report a hit on an edge or corner that they share.
void mergeRepeats(std::vector<Crossing>& crossings) {
    std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) {
        return a.t != b.t ? a.t < b.t : a.tag != b.tag ? a.tag < b.tag : a.leaving < b.leaving;
    });
    std::size_t kept = 0;
    for (const Crossing& crossing : crossings) {
        bool repeat = false;
        for (std::size_t k = kept; k > 0 && crossing.t - crossings[k - 1].t <= 1e-10 * (1 + crossing.t); --k)
            repeat |= crossings[k - 1].tag == crossing.tag && crossings[k - 1].leaving == crossing.leaving;
        if (!repeat) crossings[kept++] = crossing;
    }
    crossings.resize(kept);
}

}  // namespace

RayTree::RayTree(std::span<const Vec3d> positions, std::span<const Triangle> triangles,
                 std::span<const std::uint32_t> tags) {
    checkTriangles(triangles, positions.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        tag_count_ = std::max(tag_count_, tags[t] + 1);
        Face face;
        face.tag = tags[t];
        face.triangle = static_cast<std::uint32_t>(t);
        for (int k = 0; k < 3; ++k) face.corners[k] = positions[triangles[t][static_cast<std::size_t>(k)]];
        if (isFinite(face.corners[0]) && isFinite(face.corners[1]) && isFinite(face.corners[2])) faces_.push_back(face);
    }
    if (faces_.empty()) return;
    nodes_.emplace_back();
    split(0, 0, static_cast<std::uint32_t>(faces_.size()));
}

RayTree::RayTree(std::span<const Vec3d> positions, std::span<const Triangle> triangles)
    : RayTree(positions, triangles, std::vector<std::uint32_t>(triangles.size(), 0)) {}

void RayTree::split(std::size_t node, std::uint32_t first, std::uint32_t last) {
    Node box{Box::none(), first, last - first, faces_[first].tag};
    Box centers = Box::none();
    for (std::uint32_t f = first; f < last; ++f) {
        if (faces_[f].tag != box.tag) box.tag = kMixed;
        const auto& c = faces_[f].corners;
        for (const Vec3d& corner : c) box.grow(corner);
        centers.grow(c[0] + c[1] + c[2]);
    }
    nodes_[node] = box;
    if (last - first <= kLeafFaces) return;
    const Vec3d size = centers.high - centers.low;
    const int axis = size.x >= size.y ? (size.x >= size.z ? 0 : 2) : (size.y >= size.z ? 1 : 2);
    const auto center = [axis](const Face& f) { return f.corners[0][axis] + f.corners[1][axis] + f.corners[2][axis]; };
    const std::uint32_t middle = first + (last - first) / 2;
    std::nth_element(faces_.begin() + first, faces_.begin() + middle, faces_.begin() + last,
                     [&](const Face& a, const Face& b) { return center(a) < center(b); });
    const std::size_t children = nodes_.size();
    nodes_.resize(children + 2);
    nodes_[node].first = static_cast<std::uint32_t>(children);
    nodes_[node].count = 0;
    split(children, first, middle);
    split(children + 1, middle, last);
}

void RayTree::crossings(const Vec3d& origin, const Vec3d& direction, double t_max, std::vector<Crossing>& out) const {
    out.clear();
    if (nodes_.empty()) return;
    std::uint32_t stack[kStack];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const Node& box = nodes_[stack[--top]];
        if (!meets(box, origin, direction, t_max)) continue;
        if (box.count == 0) {
            stack[top++] = box.first;
            stack[top++] = box.first + 1;
            continue;
        }
        for (std::uint32_t f = box.first; f < box.first + box.count; ++f) {
            const auto& corners = faces_[f].corners;
            const Vec3d a = corners[0] - origin, b = corners[1] - origin, c = corners[2] - origin;
            // Signed volumes spanned by the ray and each edge: all have the same sign if the ray passes through the
            // triangle.
            const double u = dot(direction, cross(c, b)), v = dot(direction, cross(a, c)),
                         w = dot(direction, cross(b, a));
            if (std::min({u, v, w}) < 0 && std::max({u, v, w}) > 0) continue;
            const Vec3d normal = cross(b - a, c - a);
            const double along = dot(direction, normal);
            if (along == 0) continue;
            const double t = dot(a, normal) / along;
            if (t >= 0 && t <= t_max) out.push_back({t, along > 0 ? 1 : -1, faces_[f].tag});
        }
    }
    mergeRepeats(out);
}

namespace {

double squaredDistance(const Vec3d& point, const Box& box) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        const double apart = std::max({box.low[k] - point[k], point[k] - box.high[k], 0.0});
        sum += apart * apart;
    }
    return sum;
}

/// The shares of the corners in the nearest point. Distinguishes the Voronoi regions of the triangle's corners, edges
/// and interior, in the coordinates of its two edges from `a`.
std::array<double, 3> nearestOnTriangle(const Vec3d& point, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d ab = b - a, ac = c - a, ap = point - a, bp = point - b, cp = point - c;
    const double d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp),
                 d6 = dot(ac, cp);
    if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
    if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
    if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
    const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (vc <= 0 && d1 >= 0 && d3 <= 0 && d1 > d3) return {-d3 / (d1 - d3), d1 / (d1 - d3), 0};
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return {-d6 / (d2 - d6), 0, d2 / (d2 - d6)};
    const double to_b = d5 - d6, to_c = d4 - d3;
    if (va <= 0 && to_c >= 0 && to_b >= 0) return {0, to_b / (to_b + to_c), to_c / (to_b + to_c)};
    return {va / (va + vb + vc), vb / (va + vb + vc), vc / (va + vb + vc)};
}

}  // namespace

template <class Opens, class Accepts>
std::optional<SurfacePlace> RayTree::nearestAccepted(const Vec3d& point, double reach, const Opens& opens,
                                                     const Accepts& accepts) const {
    std::optional<SurfacePlace> best;
    if (nodes_.empty()) return best;
    double squared = reach * reach;
    std::uint32_t stack[kStack];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const Node& box = nodes_[stack[--top]];
        if (!(squaredDistance(point, box) <= squared) || (box.tag != kMixed && !opens(box.tag))) continue;
        if (box.count == 0) {
            const bool left_first =
                squaredDistance(point, nodes_[box.first]) <= squaredDistance(point, nodes_[box.first + 1]);
            stack[top++] = box.first + (left_first ? 1 : 0);
            stack[top++] = box.first + (left_first ? 0 : 1);
            continue;
        }
        for (std::uint32_t f = box.first; f < box.first + box.count; ++f) {
            const Face& face = faces_[f];
            if (!accepts(face)) continue;
            const auto& [a, b, c] = face.corners;
            const std::array<double, 3> shares = nearestOnTriangle(point, a, b, c);
            const Vec3d place = a * shares[0] + b * shares[1] + c * shares[2];
            const double apart = dot(place - point, place - point);
            if (!(apart <= squared) || (best && apart == squared && face.triangle > best->triangle)) continue;
            squared = apart;
            best = SurfacePlace{std::sqrt(apart), place, face.triangle, shares};
        }
    }
    return best;
}

std::optional<SurfacePlace> RayTree::nearest(const Vec3d& point, double reach, const std::vector<bool>& allowed) const {
    return nearestAccepted(
        point, reach, [&](std::uint32_t tag) { return allowed[tag]; },
        [&](const Face& face) { return allowed[face.tag]; });
}

std::optional<SurfacePlace> RayTree::nearest(const Vec3d& point, double reach) const {
    return nearestAccepted(
        point, reach, [](std::uint32_t) { return true; }, [](const Face&) { return true; });
}

std::optional<SurfacePlace> RayTree::nearestFacing(const Vec3d& point, double reach, const FacingFilter& facing) const {
    const auto opens = [&](std::uint32_t tag) { return facing.tag == FacingFilter::kAnyTag || tag == facing.tag; };
    return nearestAccepted(point, reach, opens, [&](const Face& face) {
        if (facing.tag != FacingFilter::kAnyTag && facing.tag != face.tag) return false;
        const auto& [a, b, c] = face.corners;
        const Vec3d normal = cross(b - a, c - a);
        const double cosine = dot(normal, facing.direction), size = length(normal);
        return size > 0 && (facing.both_sides ? std::abs(cosine) : cosine) >= facing.least_cosine * size;
    });
}

Enclosure enclosureOf(const RayTree& tree, const Vec3d& point) {
    std::array<int, kDirections> windings{};
    std::vector<std::pair<std::uint32_t, int>> own;  // per ray and tag: the tag's winding number
    std::vector<Crossing> crossings;
    for (std::size_t d = 0; d < kDirections; ++d) {
        tree.crossings(point, directions()[d], std::numeric_limits<double>::infinity(), crossings);
        const std::size_t first = own.size();
        for (const Crossing& c : crossings) {
            windings[d] += c.leaving;
            const auto begin = own.begin() + static_cast<std::ptrdiff_t>(first);
            const auto known = std::find_if(begin, own.end(), [&](const auto& o) { return o.first == c.tag; });
            if (known == own.end())
                own.emplace_back(c.tag, c.leaving);
            else
                known->second += c.leaving;
        }
    }
    Enclosure result;
    std::nth_element(windings.begin(), windings.begin() + kDirections / 2, windings.end());
    result.winding = windings[kDirections / 2];
    std::erase_if(own, [](const auto& o) { return o.second <= 0; });
    std::sort(own.begin(), own.end());
    for (std::size_t k = 0; k < own.size();) {
        std::size_t end = k;
        while (end < own.size() && own[end].first == own[k].first) ++end;
        if (end - k > kDirections / 2) result.tags.push_back(own[k].first);
        k = end;
    }
    return result;
}

}  // namespace pelt::geometry
