// Delaunay refinement of a region in a plane [Ruppert95] with the points of a plain Delaunay triangulation: edges of
// the outline that are not in it are halved along the outline until they are. Departure: the region starts with a
// lattice of points, so that triangles are even, and the outline is a curve that each halving follows more closely.
#include "region_mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "delaunay.h"

namespace pelt::geometry::flat {
namespace {

constexpr int kMostRounds = 120;
constexpr double kGoalAngle = 25;         ///< degrees; [Ruppert95] guarantees 20.7 and reaches more in practice
constexpr double kOutlineGap = 0.62;      ///< of an edge, between the outline and the lattice
constexpr double kMostRadius = 8;         ///< of an edge: a flatter triangle has its center far outside
constexpr std::size_t kLeastCorners = 6;  ///< of a loop

std::uint64_t edgeKey(std::uint32_t a, std::uint32_t b) { return std::uint64_t(a) << 32 | b; }

double angleAt(Point at, Point a, Point b) {
    return std::atan2(std::abs(turn(at, a, b)), dot(minus(a, at), minus(b, at))) * 180 / std::numbers::pi;
}

double smallestAngle(Point a, Point b, Point c) {
    return std::min({angleAt(a, b, c), angleAt(b, c, a), angleAt(c, a, b)});
}

Point circumcenter(Point a, Point b, Point c) {
    const Point u = minus(b, a), v = minus(c, a);
    const double d = 2 * cross(u, v);
    return plus(a, {(v.y * squared(u) - u.y * squared(v)) / d, (u.x * squared(v) - v.x * squared(u)) / d});
}

/// A closed curve by arc length.
class Curve {
public:
    explicit Curve(const Loop& loop) : loop_(loop), length_(loop.size() + 1, 0.0) {
        for (std::size_t i = 0; i < loop.size(); ++i)
            length_[i + 1] = length_[i] + distance(loop[i], loop[(i + 1) % loop.size()]);
    }

    double length() const { return length_.back(); }
    Point at(double s) const {
        const auto after = std::upper_bound(length_.begin() + 1, length_.end() - 1, s);
        const auto i = std::size_t(after - length_.begin()) - 1;
        const double part = length_[i + 1] - length_[i];
        return between(loop_[i], loop_[(i + 1) % loop_.size()], part > 0 ? (s - length_[i]) / part : 0);
    }
    /// How far the curve from `s` to `t` is from its chord.
    double deviation(double s, double t) const {
        const Point a = at(s), b = at(t), along = minus(b, a);
        const double l = std::max(std::sqrt(squared(along)), 1e-300);
        double most = 0;
        for (auto i = std::upper_bound(length_.begin(), length_.end(), s); i != length_.end() && *i < t; ++i) {
            const Point p = minus(loop_[std::size_t(i - length_.begin()) % loop_.size()], a);
            const double along_it = dot(p, along) / l;
            most = std::max(most, along_it < 0 || along_it > l ? std::sqrt(squared(p)) : std::abs(cross(along, p)) / l);
        }
        return most;
    }

private:
    const Loop& loop_;
    std::vector<double> length_;  ///< up to each point, and the whole
};

/// An edge of the mesh's outline: a piece of a curve, the region to its left.
struct Segment {
    std::uint32_t a = 0, b = 0;
    std::size_t curve = 0;
    double from = 0, to = 0;
};

/// Things by the cells of a grid that they touch.
class CellGrid {
public:
    explicit CellGrid(double cell) : cell_(cell) {}

    void add(Point low, Point high, std::uint32_t what) {
        for (std::int64_t y = index(low.y); y <= index(high.y); ++y)
            for (std::int64_t x = index(low.x); x <= index(high.x); ++x) cells_[key(x, y)].push_back(what);
    }
    /// Calls `take` for what is in the cells around a point.
    template <class Take>
    void near(Point p, double reach, Take&& take) const {
        for (std::int64_t y = index(p.y - reach); y <= index(p.y + reach); ++y)
            for (std::int64_t x = index(p.x - reach); x <= index(p.x + reach); ++x)
                if (const auto found = cells_.find(key(x, y)); found != cells_.end())
                    for (const std::uint32_t what : found->second) take(what);
    }

private:
    std::int64_t index(double x) const { return std::int64_t(std::floor(x / cell_)); }
    static std::uint64_t key(std::int64_t x, std::int64_t y) {
        return std::uint64_t(x) << 32 ^ (std::uint64_t(y) & 0xFFFFFFFF);
    }

    double cell_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells_;
};

class Mesher {
public:
    Mesher(std::span<const Loop> loops, const MeshSize& size) : loops_(loops), size_(size) {
        for (const Loop& loop : loops) curves_.emplace_back(loop);
        sampleOutline();
        outline_points_ = points_.size();
        addLattice();
    }

    bool refine(const Progress& progress) {
        for (int round = 0; round < kMostRounds; ++round) {
            progress.report("cut out", double(round) / kMostRounds);
            triangulate();
            if (splitSegments()) continue;
            findInside();
            if (!improve()) return true;
        }
        triangulate();
        if (!conforms()) return false;
        findInside();
        return true;
    }

    /// Moves points inside to the middle of their neighbors, as long as no corner gets sharp.
    void relax() {
        constexpr int kTimes = 4;
        for (int k = 0; k < kTimes; ++k) {
            const std::vector<Point> points = points_;
            const std::vector<Triangle> inside = inside_;
            const double angle = smallestInside();
            moveToMiddle();
            triangulate();
            bool good = conforms();
            if (good) {
                findInside();
                good = smallestInside() >= std::min(angle, kGoalAngle);
            }
            if (good) continue;
            points_ = points;
            inside_ = inside;
            return;
        }
    }

    RegionMesh mesh() {
        dropEars();
        std::vector<std::uint32_t> number(points_.size(), kUnused);
        RegionMesh mesh;
        mesh.smallest_angle = smallestInside();
        for (Triangle triangle : inside_) {
            for (std::uint32_t& corner : triangle) {
                if (number[corner] == kUnused) {
                    number[corner] = std::uint32_t(mesh.points.size());
                    mesh.points.push_back(points_[corner]);
                }
                corner = number[corner];
            }
            mesh.triangles.push_back(triangle);
        }
        return mesh;
    }

private:
    static constexpr std::uint32_t kUnused = ~std::uint32_t(0);

    void sampleOutline();
    void addLattice();
    void triangulate();
    bool conforms() const;
    bool splitSegments();
    void split(const std::vector<bool>& chosen);
    void findInside();
    bool improve();
    void moveToMiddle();
    void dropEars();
    double smallestInside() const;
    double smallest(const Triangle& t) const { return smallestAngle(points_[t[0]], points_[t[1]], points_[t[2]]); }
    /// The triangle to the left of an edge, or none.
    std::uint32_t leftOf(std::uint32_t a, std::uint32_t b) const {
        const auto found = left_.find(edgeKey(a, b));
        return found == left_.end() ? kUnused : found->second;
    }
    std::uint32_t apex(const Triangle& t, std::uint32_t a, std::uint32_t b) const {
        return t[0] != a && t[0] != b ? t[0] : t[1] != a && t[1] != b ? t[1] : t[2];
    }
    double lengthOf(const Segment& s) const { return distance(points_[s.a], points_[s.b]); }
    bool isSharpTip(const Triangle& t) const;

    std::span<const Loop> loops_;
    MeshSize size_;
    std::vector<Curve> curves_;
    std::vector<Point> points_;
    std::size_t outline_points_ = 0;  ///< the first ones; those that halving adds are in on_outline_
    std::vector<bool> on_outline_;
    std::vector<Segment> segments_;
    std::vector<Triangle> triangles_, inside_;
    std::unordered_map<std::uint64_t, std::uint32_t> left_;  ///< the triangle to the left of an edge
};

void Mesher::sampleOutline() {
    for (std::size_t c = 0; c < curves_.size(); ++c) {
        const double length = curves_[c].length();
        const auto count = std::max(kLeastCorners, std::size_t(std::lround(length / size_.edge)));
        const auto first = std::uint32_t(points_.size());
        for (std::size_t i = 0; i < count; ++i) {
            const double from = length * double(i) / double(count), to = length * double(i + 1) / double(count);
            points_.push_back(curves_[c].at(from));
            segments_.push_back({std::uint32_t(first + i), std::uint32_t(first + (i + 1) % count), c, from, to});
        }
    }
    on_outline_.assign(points_.size(), true);
    while (true) {  // edges that the outline leaves too far
        std::vector<bool> chosen;
        for (const Segment& s : segments_)
            chosen.push_back(s.to - s.from > 2 * size_.least &&
                             curves_[s.curve].deviation(s.from, s.to) > size_.tolerance);
        if (std::find(chosen.begin(), chosen.end(), true) == chosen.end()) return;
        split(chosen);
    }
}

/// A lattice of equilateral triangles inside, away from the outline.
void Mesher::addLattice() {
    CellGrid grid(size_.edge);
    for (std::uint32_t p = 0; p < points_.size(); ++p) grid.add(points_[p], points_[p], p);
    double bottom = points_[0].y, top = bottom;
    for (const Point& p : points_) {
        bottom = std::min(bottom, p.y);
        top = std::max(top, p.y);
    }
    const double row = size_.edge * std::sqrt(3.0) / 2, gap = kOutlineGap * size_.edge;
    const auto rows = std::size_t((top - bottom) / row) + 1;
    // Where the loops cross each row: inside is between the first and the second crossing, and so on.
    std::vector<std::vector<double>> crossings(rows);
    for (const Loop& loop : loops_)
        for (std::size_t i = 0; i < loop.size(); ++i) {
            const Point a = loop[i], b = loop[(i + 1) % loop.size()];
            const double low = (std::min(a.y, b.y) - bottom) / row - 0.5,
                         high = (std::max(a.y, b.y) - bottom) / row - 0.5;
            for (auto r = std::size_t(std::max(0.0, std::ceil(low))); r < rows && double(r) < high; ++r) {
                const double y = bottom + (double(r) + 0.5) * row;
                crossings[r].push_back(a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y));
            }
        }
    for (std::size_t r = 0; r < rows; ++r) {
        std::sort(crossings[r].begin(), crossings[r].end());
        const double y = bottom + (double(r) + 0.5) * row, shift = r % 2 == 0 ? 0 : 0.5;
        for (std::size_t k = 0; k + 1 < crossings[r].size(); k += 2)
            for (auto i = std::int64_t(std::ceil(crossings[r][k] / size_.edge - shift));
                 (double(i) + shift) * size_.edge < crossings[r][k + 1]; ++i) {
                const Point p = {(double(i) + shift) * size_.edge, y};
                bool free = true;
                grid.near(p, gap, [&](std::uint32_t other) { free &= distance(p, points_[other]) >= gap; });
                if (free) points_.push_back(p);
            }
    }
    on_outline_.resize(points_.size(), false);
}

void Mesher::triangulate() {
    triangles_ = delaunay(points_);
    left_.clear();
    left_.reserve(triangles_.size() * 3);
    for (std::uint32_t t = 0; t < triangles_.size(); ++t)
        for (int k = 0; k < 3; ++k) left_[edgeKey(triangles_[t][k], triangles_[t][(k + 1) % 3])] = t;
}

bool Mesher::conforms() const {
    return std::all_of(segments_.begin(), segments_.end(),
                       [&](const Segment& s) { return leftOf(s.a, s.b) != kUnused; });
}

/// Halves the edges of the outline that are missing, and those whose triangle is obtuse across from them.
bool Mesher::splitSegments() {
    std::vector<bool> chosen(segments_.size(), false);
    bool any = false;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        const Segment& s = segments_[i];
        const std::uint32_t t = leftOf(s.a, s.b);
        bool halved = t == kUnused;
        if (!halved && lengthOf(s) > 2 * size_.least) {
            const Point p = points_[apex(triangles_[t], s.a, s.b)];
            halved = dot(minus(points_[s.a], p), minus(points_[s.b], p)) < 0;
        }
        chosen[i] = halved;
        any |= halved;
    }
    if (any) split(chosen);
    return any;
}

void Mesher::split(const std::vector<bool>& chosen) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (!chosen[i]) continue;
        Segment& s = segments_[i];
        const double middle = (s.from + s.to) / 2;
        const auto added = std::uint32_t(points_.size());
        points_.push_back(curves_[s.curve].at(middle));
        on_outline_.push_back(true);
        const Segment second{added, s.b, s.curve, middle, s.to};
        s.b = added;
        s.to = middle;
        segments_.push_back(second);
    }
}

/// The triangles that are reached from the left sides of the outline without crossing it.
void Mesher::findInside() {
    std::unordered_map<std::uint64_t, bool> is_outline;
    for (const Segment& s : segments_) is_outline[edgeKey(s.a, s.b)] = is_outline[edgeKey(s.b, s.a)] = true;
    std::vector<bool> seen(triangles_.size(), false);
    std::vector<std::uint32_t> open;
    const auto reach = [&](std::uint32_t t) {
        if (t == kUnused || seen[t]) return;
        seen[t] = true;
        open.push_back(t);
    };
    for (const Segment& s : segments_) reach(leftOf(s.a, s.b));
    while (!open.empty()) {
        const Triangle t = triangles_[open.back()];
        open.pop_back();
        for (int k = 0; k < 3; ++k)
            if (!is_outline.contains(edgeKey(t[k], t[(k + 1) % 3]))) reach(leftOf(t[(k + 1) % 3], t[k]));
    }
    inside_.clear();
    for (std::size_t t = 0; t < triangles_.size(); ++t)
        if (seen[t]) inside_.push_back(triangles_[t]);
}

/// Whether the smallest corner of a triangle is one of the outline's own, which no point can widen.
bool Mesher::isSharpTip(const Triangle& t) const {
    int at = 0;
    double least = 180;
    for (int k = 0; k < 3; ++k) {
        const double angle = angleAt(points_[t[k]], points_[t[(k + 1) % 3]], points_[t[(k + 2) % 3]]);
        if (angle < least) {
            least = angle;
            at = k;
        }
    }
    const std::uint32_t tip = t[at], a = t[(at + 1) % 3], b = t[(at + 2) % 3];
    return on_outline_[tip] && leftOf(a, tip) == kUnused && leftOf(tip, b) == kUnused;
}

/// Adds the circumcenters of triangles with sharp corners; where one is too near the outline, halves that instead.
bool Mesher::improve() {
    struct Bad {
        double angle;
        std::uint32_t triangle;
    };
    std::vector<Bad> bad;
    for (std::uint32_t t = 0; t < inside_.size(); ++t) {
        const double angle = smallest(inside_[t]);
        if (angle < kGoalAngle && !isSharpTip(inside_[t])) bad.push_back({angle, t});
    }
    if (bad.empty()) return false;
    std::sort(bad.begin(), bad.end(), [](const Bad& a, const Bad& b) {
        return a.angle != b.angle ? a.angle < b.angle : a.triangle < b.triangle;
    });
    CellGrid outline(size_.edge), added(size_.edge);
    for (std::uint32_t i = 0; i < segments_.size(); ++i) {
        const Segment& s = segments_[i];
        const Point middle = between(points_[s.a], points_[s.b], 0.5);
        const double radius = lengthOf(s) / 2;
        outline.add({middle.x - radius, middle.y - radius}, {middle.x + radius, middle.y + radius}, i);
    }
    std::vector<bool> chosen(segments_.size(), false);
    std::vector<Point> centers;
    bool any = false;
    for (const Bad& one : bad) {
        const Triangle& t = inside_[one.triangle];
        const Point c = circumcenter(points_[t[0]], points_[t[1]], points_[t[2]]);
        const double radius = distance(c, points_[t[0]]);
        if (!(radius >= size_.least && radius <= kMostRadius * size_.edge)) continue;
        bool encroaches = false, free = true;
        outline.near(c, 0, [&](std::uint32_t i) {
            const Segment& s = segments_[i];
            const double length = lengthOf(s);
            if (distance(c, between(points_[s.a], points_[s.b], 0.5)) >= length / 2) return;
            encroaches = true;
            if (length <= 2 * size_.least || chosen[i]) return;
            chosen[i] = any = true;
        });
        if (encroaches) continue;
        added.near(c, radius, [&](std::uint32_t i) { free &= distance(c, centers[i]) >= radius; });
        if (!free) continue;
        added.add(c, c, std::uint32_t(centers.size()));
        centers.push_back(c);
        any = true;
    }
    split(chosen);
    points_.insert(points_.end(), centers.begin(), centers.end());
    on_outline_.resize(points_.size(), false);
    return any;
}

void Mesher::moveToMiddle() {
    std::vector<Point> sum(points_.size());
    std::vector<int> count(points_.size(), 0);
    for (const Triangle& t : inside_)
        for (int k = 0; k < 3; ++k) {
            sum[t[k]] = plus(sum[t[k]], points_[t[(k + 1) % 3]]);
            ++count[t[k]];
        }
    for (std::size_t p = 0; p < points_.size(); ++p)
        if (!on_outline_[p] && count[p] > 0) points_[p] = between(points_[p], times(sum[p], 1.0 / count[p]), 0.7);
}

double Mesher::smallestInside() const {
    double least = 180;
    for (const Triangle& t : inside_) least = std::min(least, smallest(t));
    return least;
}

/// A tip of the outline that is sharper than any triangle may be is cut off.
void Mesher::dropEars() {
    while (true) {
        std::unordered_map<std::uint64_t, bool> edges;
        for (const Triangle& t : inside_)
            for (int k = 0; k < 3; ++k) edges[edgeKey(t[k], t[(k + 1) % 3])] = true;
        const std::size_t before = inside_.size();
        std::erase_if(inside_, [&](const Triangle& t) {
            int open = 0;
            for (int k = 0; k < 3; ++k) open += edges.contains(edgeKey(t[(k + 1) % 3], t[k])) ? 0 : 1;
            return open == 2 && smallest(t) < kLeastAngle;
        });
        if (inside_.size() == before || inside_.empty()) return;
    }
}

}  // namespace

std::optional<RegionMesh> meshRegion(std::span<const Loop> loops, const MeshSize& size, const Progress& progress) {
    Mesher mesher(loops, size);
    if (!mesher.refine(progress)) return std::nullopt;
    mesher.relax();
    return mesher.mesh();
}

}  // namespace pelt::geometry::flat
