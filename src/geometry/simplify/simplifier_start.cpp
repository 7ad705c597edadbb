// What a simplification starts from: planes, weights and prices of all points.
#include <pelt/core/parallel.h>
#include <pelt/geometry/bounding_box.h>

#include <algorithm>
#include <cmath>

#include "simplifier.h"

namespace pelt::geometry {
namespace {

constexpr double kOpenEdge = 10, kSeamEdge = 1;  ///< weights of the planes that hold open edges and seams in place

struct EdgeOfFace {
    std::uint32_t a, b, face;
    bool joins(const EdgeOfFace& o) const { return a == o.a && b == o.b; }
    auto operator<=>(const EdgeOfFace&) const = default;
};

}  // namespace

Simplifier::Simplifier(const SimplifyInput& input)
    : input_(input), shapes_(input.shapes.size()), points_(input.shapes.front().size()), scratch_(points_) {
    normalizeShapes();
    faces_of_.resize(points_);
    copies_of_.resize(points_);
    for (std::uint32_t v = 0; v < input.point_of.size(); ++v) copies_of_[input.point_of[v]].push_back(v);
    for (const Triangle& t : input.triangles) addFace(t);
    alive_ = faces_.size();
    dead_.assign(alive_, false);
    locked_.assign(points_, false);
    open_.assign(points_, false);
    stamp_.assign(points_, 0);
    quadrics_.resize(points_ * shapes_);
    choices_.resize(points_);
    limitMoves();
    addFaceQuadrics();
    addEdgeQuadrics();
    scheduleAll();
}

void Simplifier::normalizeShapes() {
    places_.resize(points_ * shapes_);
    const double size = boundingBox(input_.shapes.front()).diagonal();
    parallelFor(shapes_, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t s = first; s < last; ++s) {
            const std::vector<Vec3d>& shape = input_.shapes[s];
            const Vec3d center = boundingBox(shape).center();
            for (std::size_t p = 0; p < points_; ++p)
                places_[p * shapes_ + s] = (shape[p] - center) / (size > 0 ? size : 1);
        }
    });
}

void Simplifier::addFace(const Triangle& t) {
    const std::uint32_t a = point(t[0]), b = point(t[1]), c = point(t[2]);
    if (a == b || b == c || c == a) return;
    for (const std::uint32_t p : {a, b, c}) faces_of_[p].push_back(std::uint32_t(faces_.size()));
    faces_.push_back(t);
    face_points_.push_back({a, b, c});
}

void Simplifier::limitMoves() {
    reach_.assign(points_, kFarthest * kFarthest);
    const double size = boundingBox(input_.shapes.front()).diagonal();
    for (std::size_t p = 0; p < std::min(points_, input_.reach.size()) && size > 0; ++p)
        reach_[p] = std::min(reach_[p], input_.reach[p] * input_.reach[p] / (size * size));
}

/// A face that was modeled finely, as on lips and fingers, counts for more than its area: between faces that count
/// alike and area alone.
void Simplifier::addFaceQuadrics() {
    const auto normalOf = [&](const Triangle& t, std::size_t s) {
        return cross(at(t[1], s) - at(t[0], s), at(t[2], s) - at(t[0], s));
    };
    seen_.resize(points_);
    for (const Triangle& t : face_points_) {
        const Vec3d normal = normalOf(t, 0);
        mean_area_ += length(normal);
        for (const std::uint32_t p : t) seen_[p] += normal;
    }
    mean_area_ /= std::max(double(face_points_.size()), 1.0);
    for (Vec3d& normal : seen_) normal = normalized(normal);
    parallelFor(shapes_, 1, [&](std::size_t first, std::size_t last) {
        for (const Triangle& t : face_points_)
            for (std::size_t s = first; s < last; ++s) {
                const Vec3d normal = normalOf(t, s);
                const double area = length(normal);
                if (!(area > 0)) continue;
                const double counts = std::pow(area, 1 - kFineCounts) * std::pow(mean_area_, kFineCounts);
                for (const std::uint32_t p : t) quadrics_[p * shapes_ + s].addPlane(normal / area, at(t[0], s), counts);
            }
    });
}

/// Planes through an edge, perpendicular to its face.
void Simplifier::holdEdge(std::size_t face, std::uint32_t a, std::uint32_t b, double weight) {
    const Triangle& t = face_points_[face];
    for (std::size_t s = 0; s < shapes_; ++s) {
        const Vec3d normal = cross(at(t[1], s) - at(t[0], s), at(t[2], s) - at(t[0], s));
        const Vec3d edge = at(b, s) - at(a, s), plane = normalized(cross(edge, normal));
        for (const std::uint32_t p : {a, b})
            quadrics_[p * shapes_ + s].addPlane(plane, at(a, s), weight * dot(edge, edge));
    }
}

void Simplifier::addEdgeQuadrics() {
    std::vector<EdgeOfFace> edges;
    edges.reserve(3 * faces_.size());
    for (std::uint32_t f = 0; f < faces_.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t a = face_points_[f][k], b = face_points_[f][(k + 1) % 3];
            edges.push_back({std::min(a, b), std::max(a, b), f});
        }
    std::sort(edges.begin(), edges.end());
    std::vector<std::size_t> count(points_, 0), open_count(points_, 0);
    for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
        while (last < edges.size() && edges[last].joins(edges[first])) ++last;
        const auto [a, b, face] = edges[first];
        for (const std::uint32_t p : {a, b}) ++count[p];
        if (last - first == 1) {
            holdEdge(face, a, b, kOpenEdge);
            for (const std::uint32_t p : {a, b}) {
                open_[p] = true;
                ++open_count[p];
            }
        } else if (last - first > 2) {
            locked_[a] = locked_[b] = true;
        } else {
            const std::uint32_t other = edges[first + 1].face;
            if (sideAt(face, a) == sideAt(other, a) && sideAt(face, b) == sideAt(other, b)) continue;
            for (const std::uint32_t f : {face, other}) holdEdge(f, a, b, kSeamEdge);
        }
    }
    lockIrregular(count, open_count);
}

/// Points whose faces do not form one fan stay.
void Simplifier::lockIrregular(const std::vector<std::size_t>& edges, const std::vector<std::size_t>& open_edges) {
    for (std::size_t p = 0; p < points_; ++p) {
        const std::size_t extra = open_edges[p] / 2;
        if (open_edges[p] > 2 || edges[p] != faces_of_[p].size() + extra) locked_[p] = true;
    }
}

void Simplifier::scheduleAll() {
    constexpr std::size_t kPointsAtOnce = 16384;
    std::vector<Candidate> first_moves(points_);
    std::vector<std::uint8_t> movable(points_, 0);
    parallelFor(points_, kPointsAtOnce, [&](std::size_t first, std::size_t last) {
        Scratch scratch(points_);
        for (std::size_t i = first; i < last; ++i) {
            const auto p = std::uint32_t(i);
            price(p, scratch);
            movable[p] = findCheapest(p, scratch, first_moves[p]);
        }
    });
    std::vector<Candidate> heap;
    for (std::size_t p = 0; p < points_; ++p)
        if (movable[p]) heap.push_back(first_moves[p]);
    heap_ = std::priority_queue<Candidate>({}, std::move(heap));
}

}  // namespace pelt::geometry
