// Simplification by half-edge collapses: M. Garland, P. Heckbert, "Surface Simplification Using Quadric Error Metrics",
// SIGGRAPH 1997; summed over poses as in A. Mohr, M. Gleicher, "Deformation Sensitive Decimation", 2003.

#include <pelt/core/error.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/geometry/simplify.h>

#include <algorithm>
#include <limits>
#include <map>
#include <queue>

#include "check.h"
#include "quadric.h"

namespace pelt::geometry {
namespace {

constexpr double kOpenEdge = 10, kSeamEdge = 1;  ///< weights of the planes that hold open edges and seams in place
constexpr double kLeastTurn = 0.2;               ///< cosine: a face may not turn by more
constexpr double kFarthest = 0.025;              ///< of the diagonal: a vertex may not move farther from its planes
constexpr double kEdgePrice = 1e-7;              ///< of the squared length: in flat regions, short edges go first

constexpr double kForbidden = std::numeric_limits<double>::infinity();

/// Sides of seams at a point that merge into those of its neighbor.
using SideMap = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

class Simplifier {
public:
    explicit Simplifier(const SimplifyInput& input) : input_(input), shapes_(input.shapes) {
        normalizeShapes();
        points_ = shapes_.front().size();
        faces_of_.resize(points_);
        copies_of_.resize(points_);
        for (std::uint32_t v = 0; v < input.point_of.size(); ++v) copies_of_[input.point_of[v]].push_back(v);
        for (const Triangle& t : input.triangles) addFace(t);
        alive_ = faces_.size();
        locked_.assign(points_, false);
        open_.assign(points_, false);
        stamp_.assign(points_, 0);
        quadrics_.resize(points_ * shapes_.size());
        addFaceQuadrics();
        addEdgeQuadrics();
        for (std::uint32_t p = 0; p < points_; ++p) schedule(p);
    }

    std::size_t alive() const { return alive_; }
    bool step();
    std::vector<Triangle> triangles() const {
        std::vector<Triangle> left;
        for (std::size_t f = 0; f < faces_.size(); ++f)
            if (!dead_[f]) left.push_back(faces_[f]);
        return left;
    }

private:
    struct Candidate {
        double cost = 0;
        std::uint32_t from = 0, to = 0, stamp = 0;
        bool operator<(const Candidate& o) const {  // the cheapest is on top of the heap
            return cost != o.cost ? cost > o.cost : from != o.from ? from > o.from : to > o.to;
        }
    };

    void normalizeShapes();
    void addFace(const Triangle& t);
    void addFaceQuadrics();
    void addEdgeQuadrics();
    void holdEdge(std::size_t face, std::uint32_t a, std::uint32_t b, double weight);
    void lockIrregular(const std::vector<std::size_t>& edges, const std::vector<std::size_t>& open_edges);
    std::uint32_t point(std::uint32_t vertex) const { return input_.point_of[vertex]; }
    bool has(std::uint32_t face, std::uint32_t p) const {
        const Triangle& t = faces_[face];
        return point(t[0]) == p || point(t[1]) == p || point(t[2]) == p;
    }
    std::uint32_t vertexAt(std::uint32_t face, std::uint32_t p) const {
        for (const std::uint32_t v : faces_[face])
            if (point(v) == p) return v;
        return faces_[face][0];
    }
    std::uint32_t sideAt(std::uint32_t face, std::uint32_t p) const { return input_.side_of[vertexAt(face, p)]; }
    std::uint32_t replacement(std::uint32_t vertex, std::uint32_t to, const SideMap& map) const;
    std::vector<std::uint32_t> neighbors(std::uint32_t p) const;
    double cost(std::uint32_t from, std::uint32_t to) const;
    bool mapSides(std::uint32_t from, std::uint32_t to, SideMap& map) const;
    bool turnsOver(std::uint32_t from, std::uint32_t to, const SideMap& map) const;
    bool canCollapse(std::uint32_t from, std::uint32_t to, SideMap& map) const;
    void schedule(std::uint32_t p);
    void collapse(std::uint32_t from, std::uint32_t to, const SideMap& map);

    const SimplifyInput& input_;
    std::vector<std::vector<Vec3d>> shapes_;  ///< around the origin, of size 1
    std::size_t points_ = 0, alive_ = 0;
    std::vector<Triangle> faces_;
    std::vector<bool> dead_;
    std::vector<std::vector<std::uint32_t>> faces_of_, copies_of_;  ///< per point: its faces, its vertices
    std::vector<bool> locked_, open_;                               ///< per point: stays; lies on an open edge
    std::vector<std::uint32_t> stamp_;
    std::vector<Quadric> quadrics_;  ///< by point, then shape
    std::priority_queue<Candidate> heap_;
};

void Simplifier::normalizeShapes() {
    const double size = boundingBox(shapes_.front()).diagonal();
    for (std::vector<Vec3d>& shape : shapes_) {
        const Vec3d center = boundingBox(shape).center();
        for (Vec3d& p : shape) p = (p - center) / (size > 0 ? size : 1);
    }
}

void Simplifier::addFace(const Triangle& t) {
    const std::uint32_t a = point(t[0]), b = point(t[1]), c = point(t[2]);
    if (a == b || b == c || c == a) return;
    for (const std::uint32_t p : {a, b, c}) faces_of_[p].push_back(std::uint32_t(faces_.size()));
    faces_.push_back(t);
    dead_.push_back(false);
}

void Simplifier::addFaceQuadrics() {
    for (const Triangle& t : faces_)
        for (std::size_t s = 0; s < shapes_.size(); ++s) {
            const Vec3d& a = shapes_[s][point(t[0])];
            const Vec3d normal = cross(shapes_[s][point(t[1])] - a, shapes_[s][point(t[2])] - a);
            const double area = length(normal);
            if (!(area > 0)) continue;
            for (const std::uint32_t v : t) quadrics_[point(v) * shapes_.size() + s].addPlane(normal / area, a, area);
        }
}

/// Planes through an edge, perpendicular to its face.
void Simplifier::holdEdge(std::size_t face, std::uint32_t a, std::uint32_t b, double weight) {
    const Triangle& t = faces_[face];
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
        const std::vector<Vec3d>& at = shapes_[s];
        const Vec3d normal = cross(at[point(t[1])] - at[point(t[0])], at[point(t[2])] - at[point(t[0])]);
        const Vec3d edge = at[b] - at[a], plane = normalized(cross(edge, normal));
        for (const std::uint32_t p : {a, b})
            quadrics_[p * shapes_.size() + s].addPlane(plane, at[a], weight * dot(edge, edge));
    }
}

void Simplifier::addEdgeQuadrics() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> edges;
    for (std::uint32_t f = 0; f < faces_.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t a = point(faces_[f][k]), b = point(faces_[f][(k + 1) % 3]);
            edges[{std::min(a, b), std::max(a, b)}].push_back(f);
        }
    std::vector<std::size_t> count(points_, 0), open_count(points_, 0);
    for (const auto& [edge, around] : edges) {
        const auto a = edge.first, b = edge.second;
        for (const std::uint32_t p : {a, b}) ++count[p];
        if (around.size() == 1) {
            holdEdge(around[0], a, b, kOpenEdge);
            for (const std::uint32_t p : {a, b}) {
                open_[p] = true;
                ++open_count[p];
            }
        } else if (around.size() > 2) {
            locked_[a] = locked_[b] = true;
        } else if (sideAt(around[0], a) != sideAt(around[1], a) || sideAt(around[0], b) != sideAt(around[1], b)) {
            for (const std::uint32_t f : around) holdEdge(f, a, b, kSeamEdge);
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

std::vector<std::uint32_t> Simplifier::neighbors(std::uint32_t p) const {
    std::vector<std::uint32_t> around;
    for (const std::uint32_t f : faces_of_[p])
        for (const std::uint32_t v : faces_[f])
            if (point(v) != p) around.push_back(point(v));
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
    return around;
}

double Simplifier::cost(std::uint32_t from, std::uint32_t to) const {
    double sum = 0;
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
        const Vec3d& place = shapes_[s][to];
        const Vec3d edge = place - shapes_[s][from];
        const Quadric& planes = quadrics_[from * shapes_.size() + s];
        const double distance = planes.at(place);
        if (distance > kFarthest * kFarthest * planes.weight) return kForbidden;
        sum += distance + kEdgePrice * dot(edge, edge) * dot(edge, edge);
    }
    return sum;
}

/// Faces at both ends of the edge tell which side of the neighbor continues which side of the point. False if some side
/// has no unique continuation: its faces would be torn off.
bool Simplifier::mapSides(std::uint32_t from, std::uint32_t to, SideMap& map) const {
    map.clear();
    for (const std::uint32_t f : faces_of_[from]) {
        if (!has(f, to)) continue;
        const std::pair<std::uint32_t, std::uint32_t> pair{sideAt(f, from), sideAt(f, to)};
        for (const auto& known : map)
            if (known.first == pair.first && known.second != pair.second) return false;
        map.push_back(pair);
    }
    return std::all_of(faces_of_[from].begin(), faces_of_[from].end(), [&](std::uint32_t f) {
        const std::uint32_t side = sideAt(f, from);
        return std::any_of(map.begin(), map.end(), [&](const auto& pair) { return pair.first == side; });
    });
}

/// The copy of the neighbor that takes the place of a vertex: on the same side, with the most similar normal.
std::uint32_t Simplifier::replacement(std::uint32_t vertex, std::uint32_t to, const SideMap& map) const {
    const std::uint32_t from_side = input_.side_of[vertex];
    const std::uint32_t side =
        std::find_if(map.begin(), map.end(), [&](const auto& pair) { return pair.first == from_side; })->second;
    std::uint32_t best = vertex;
    float most = -2;
    for (const std::uint32_t v : copies_of_[to]) {
        if (input_.side_of[v] != side) continue;
        const float alike = input_.normals.empty() ? 0.0f : dot(input_.normals[v], input_.normals[vertex]);
        if (best == vertex || alike > most) {
            best = v;
            most = alike;
        }
    }
    return best;
}

double uvArea(const Vec2f& a, const Vec2f& b, const Vec2f& c) {
    return (double(b.x) - a.x) * (double(c.y) - a.y) - (double(c.x) - a.x) * (double(b.y) - a.y);
}

bool Simplifier::turnsOver(std::uint32_t from, std::uint32_t to, const SideMap& map) const {
    const std::vector<Vec3d>& rest = shapes_.front();
    for (const std::uint32_t f : faces_of_[from]) {
        if (has(f, to)) continue;
        const Triangle& was = faces_[f];
        Triangle now = was;
        for (std::uint32_t& v : now)
            if (point(v) == from) v = replacement(v, to, map);
        const auto normal = [&](const Triangle& t) {
            return cross(rest[point(t[1])] - rest[point(t[0])], rest[point(t[2])] - rest[point(t[0])]);
        };
        const Vec3d before = normal(was), after = normal(now);
        if (length(before) > 0 && dot(before, after) <= kLeastTurn * length(before) * length(after)) return true;
        if (input_.uvs.empty()) continue;
        const auto& uv = input_.uvs;
        const double uv_before = uvArea(uv[was[0]], uv[was[1]], uv[was[2]]);
        if (uv_before * uvArea(uv[now[0]], uv[now[1]], uv[now[2]]) < 0) return true;
    }
    return false;
}

bool Simplifier::canCollapse(std::uint32_t from, std::uint32_t to, SideMap& map) const {
    const auto shared = std::size_t(
        std::count_if(faces_of_[from].begin(), faces_of_[from].end(), [&](std::uint32_t f) { return has(f, to); }));
    if (shared == 0 || shared > 2 || shared != (open_[from] ? 1U : 2U)) return false;
    // The last faces of a part stay.
    const std::size_t least = open_[from] ? 1 : 3;
    if (faces_of_[from].size() <= least && faces_of_[to].size() <= least) return false;
    std::vector<std::uint32_t> common;
    const std::vector<std::uint32_t> a = neighbors(from), b = neighbors(to);
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    return common.size() == shared && mapSides(from, to, map) && !turnsOver(from, to, map);
}

/// Puts the cheapest possible move of the point on the heap.
void Simplifier::schedule(std::uint32_t p) {
    ++stamp_[p];
    if (locked_[p] || faces_of_[p].empty()) return;
    std::vector<std::pair<double, std::uint32_t>> choices;
    for (const std::uint32_t n : neighbors(p))
        if (const double price = cost(p, n); price < kForbidden) choices.emplace_back(price, n);
    std::sort(choices.begin(), choices.end());
    SideMap map;
    for (const auto& [price, to] : choices)
        if (canCollapse(p, to, map)) {
            heap_.push({price, p, to, stamp_[p]});
            return;
        }
}

void Simplifier::collapse(std::uint32_t from, std::uint32_t to, const SideMap& map) {
    for (const std::uint32_t f : faces_of_[from]) {
        if (has(f, to)) {
            dead_[f] = true;
            --alive_;
            for (const std::uint32_t v : faces_[f])
                if (point(v) != from) std::erase(faces_of_[point(v)], f);
            continue;
        }
        for (std::uint32_t& v : faces_[f])
            if (point(v) == from) v = replacement(v, to, map);
        faces_of_[to].push_back(f);
    }
    faces_of_[from].clear();
    ++stamp_[from];
    for (std::size_t s = 0; s < shapes_.size(); ++s)
        quadrics_[to * shapes_.size() + s].add(quadrics_[from * shapes_.size() + s]);
    schedule(to);
    for (const std::uint32_t n : neighbors(to)) schedule(n);
}

bool Simplifier::step() {
    SideMap map;
    while (!heap_.empty()) {
        const Candidate best = heap_.top();
        heap_.pop();
        if (best.stamp != stamp_[best.from]) continue;
        if (canCollapse(best.from, best.to, map)) {
            collapse(best.from, best.to, map);
            return true;
        }
        schedule(best.from);
    }
    return false;
}

}  // namespace

std::vector<std::vector<Triangle>> simplify(const SimplifyInput& input, std::span<const std::size_t> targets,
                                            const Progress& progress) {
    checkTriangles(input.triangles, input.point_of.size());
    if (input.shapes.empty()) throw Error::badUsage("simplification needs the rest shape");
    Simplifier simplifier(input);
    std::vector<std::vector<Triangle>> results;
    const std::size_t start = simplifier.alive(), last = targets.empty() ? start : targets.back();
    for (const std::size_t target : targets) {
        for (std::size_t n = 0; simplifier.alive() > target && simplifier.step(); ++n)
            if (n % 1024 == 0)
                progress.report("simplify", double(start - simplifier.alive()) / double(start - last + 1));
        results.push_back(simplifier.triangles());
    }
    progress.report("simplify", 1);
    return results;
}

}  // namespace pelt::geometry
