// Simplification by half-edge collapses: M. Garland, P. Heckbert, "Surface Simplification Using Quadric Error Metrics",
// SIGGRAPH 1997; summed over poses as in A. Mohr, M. Gleicher, "Deformation Sensitive Decimation", 2003.

#include <pelt/core/error.h>
#include <pelt/geometry/simplify.h>

#include <algorithm>
#include <cmath>

#include "geometry/mesh/check.h"
#include "simplifier.h"

namespace pelt::geometry {
namespace {

constexpr double kLeastTurn = 0.2;   ///< cosine: a face may not turn by more
constexpr double kShading = 4e-5;    ///< what a turn costs, beside the squared distance, of the squared diagonal
constexpr double kEdgePrice = 1e-7;  ///< of the squared length: in flat regions, short edges go first

double uvArea(const Vec2f& a, const Vec2f& b, const Vec2f& c) {
    return (double(b.x) - a.x) * (double(c.y) - a.y) - (double(c.x) - a.x) * (double(b.y) - a.y);
}

}  // namespace

std::vector<Triangle> Simplifier::triangles() const {
    std::vector<Triangle> left;
    for (std::size_t f = 0; f < faces_.size(); ++f)
        if (!dead_[f]) left.push_back(faces_[f]);
    return left;
}

/// Each neighbor once, in any order.
void Simplifier::findNeighbors(std::uint32_t p, Scratch& scratch) const {
    scratch.around.clear();
    const std::uint32_t seen = ++scratch.last;
    scratch.mark[p] = seen;
    for (const std::uint32_t f : faces_of_[p])
        for (const std::uint32_t n : face_points_[f])
            if (std::exchange(scratch.mark[n], seen) != seen) scratch.around.push_back(n);
}

double Simplifier::cost(std::uint32_t from, std::uint32_t to) const {
    double sum = 0;
    for (std::size_t s = 0; s < shapes_; ++s) {
        const Vec3d& place = at(to, s);
        const Vec3d edge = place - at(from, s);
        const Quadric& planes = quadrics_[from * shapes_ + s];
        const double distance = planes.at(place);
        if (distance > kFarthest * kFarthest * planes.weight) return kForbidden;
        // Beyond its reach a move costs more and more, but is possible: nothing else is simplified to the bone instead.
        const double beyond = planes.weight > 0 ? std::sqrt(distance / (reach_[from] * planes.weight)) : 0;
        sum += distance * (1 + beyond) + kEdgePrice * dot(edge, edge) * dot(edge, edge);
    }
    return sum < kForbidden ? sum : kForbidden;
}

void Simplifier::price(std::uint32_t p, Scratch& scratch) {
    std::vector<Choice>& choices = choices_[p];
    choices.clear();
    if (locked_[p]) return;
    findNeighbors(p, scratch);
    for (const std::uint32_t n : scratch.around) choices.emplace_back(cost(p, n), n);
    std::sort(choices.begin(), choices.end());
}

/// Point `p` has lost the neighbor `gone` and may have gained `fresh`.
void Simplifier::exchangeNeighbor(std::uint32_t p, std::uint32_t gone, std::uint32_t fresh) {
    std::vector<Choice>& choices = choices_[p];
    if (locked_[p]) return;
    bool known = false;
    std::erase_if(choices, [&](const Choice& choice) {
        known |= choice.second == fresh;
        return choice.second == gone;
    });
    if (known) return;
    const Choice choice{cost(p, fresh), fresh};
    choices.insert(std::upper_bound(choices.begin(), choices.end(), choice), choice);
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

bool Simplifier::turnsOver(std::uint32_t from, std::uint32_t to, const SideMap& map) const {
    for (const std::uint32_t f : faces_of_[from]) {
        if (has(f, to)) continue;
        const Triangle &was = face_points_[f], &corners = faces_[f];
        const auto normal = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
            return cross(at(b, 0) - at(a, 0), at(c, 0) - at(a, 0));
        };
        const auto moved = [&](std::size_t k) { return was[k] == from ? to : was[k]; };
        const Vec3d before = normal(was[0], was[1], was[2]), after = normal(moved(0), moved(1), moved(2));
        if (length(before) > 0 && dot(before, after) <= kLeastTurn * length(before) * length(after)) return true;
        if (input_.uvs.empty()) continue;
        Triangle now = corners;
        for (std::size_t k = 0; k < 3; ++k)
            if (was[k] == from) now[k] = replacement(corners[k], to, map);
        const auto& uv = input_.uvs;
        const double uv_before = uvArea(uv[corners[0]], uv[corners[1]], uv[corners[2]]);
        if (uv_before * uvArea(uv[now[0]], uv[now[1]], uv[now[2]]) < 0) return true;
    }
    return false;
}

std::size_t Simplifier::commonNeighbors(std::uint32_t a, std::uint32_t b, Scratch& scratch) const {
    const std::uint32_t of_a = ++scratch.last, of_both = ++scratch.last;
    for (const std::uint32_t f : faces_of_[a])
        for (const std::uint32_t n : face_points_[f]) scratch.mark[n] = of_a;
    scratch.mark[a] = scratch.mark[b] = of_both;
    std::size_t count = 0;
    for (const std::uint32_t f : faces_of_[b])
        for (const std::uint32_t n : face_points_[f])
            if (scratch.mark[n] == of_a) {
                scratch.mark[n] = of_both;
                ++count;
            }
    return count;
}

/// Fills the scratch's map if it can.
bool Simplifier::canCollapse(std::uint32_t from, std::uint32_t to, Scratch& scratch) const {
    const auto shared = std::size_t(
        std::count_if(faces_of_[from].begin(), faces_of_[from].end(), [&](std::uint32_t f) { return has(f, to); }));
    if (shared == 0 || shared > 2 || shared != (open_[from] ? 1U : 2U)) return false;
    // The last faces of a part stay.
    const std::size_t least = open_[from] ? 1 : 3;
    if (faces_of_[from].size() <= least && faces_of_[to].size() <= least) return false;
    return commonNeighbors(from, to, scratch) == shared && mapSides(from, to, scratch.map) &&
           !turnsOver(from, to, scratch.map);
}

/// How far the normals that are seen on a face at rest are from its own, times what the face counts.
double Simplifier::disagreement(const Triangle& corners) const {
    const Vec3d normal = cross(at(corners[1], 0) - at(corners[0], 0), at(corners[2], 0) - at(corners[0], 0));
    const double area = length(normal);
    if (!(area > 0)) return 0;
    double sum = 0;
    for (const std::uint32_t p : corners) sum += area - dot(normal, seen_[p]);
    return sum * std::pow(mean_area_ / area, kFineCounts);
}

/// What a move does to the look of the faces around the point: shading shows a turned face that is hardly displaced.
double Simplifier::shadingCost(std::uint32_t from, std::uint32_t to) const {
    double sum = 0;
    for (const std::uint32_t f : faces_of_[from]) {
        Triangle corners = face_points_[f];
        sum -= disagreement(corners);
        if (has(f, to)) continue;
        std::replace(corners.begin(), corners.end(), from, to);
        sum += disagreement(corners);
    }
    return kShading * double(shapes_) * std::max(sum, 0.0);
}

/// The cheapest possible move of the point; false if there is none.
bool Simplifier::findCheapest(std::uint32_t p, Scratch& scratch, Candidate& found) const {
    found.cost = kForbidden;
    if (locked_[p] || faces_of_[p].empty()) return false;
    for (const auto& [price, to] : choices_[p]) {
        if (!(price < found.cost)) break;
        if (!canCollapse(p, to, scratch)) continue;
        const double whole = price + shadingCost(p, to);
        if (whole < found.cost) found = {whole, p, to, stamp_[p]};
    }
    return found.cost < kForbidden;
}

void Simplifier::schedule(std::uint32_t p) {
    ++stamp_[p];
    if (Candidate found; findCheapest(p, scratch_, found)) heap_.push(found);
}

void Simplifier::collapse(std::uint32_t from, std::uint32_t to, const SideMap& map) {
    for (const std::uint32_t f : faces_of_[from]) {
        if (has(f, to)) {
            dead_[f] = true;
            --alive_;
            for (const std::uint32_t p : face_points_[f])
                if (p != from) std::erase(faces_of_[p], f);
            continue;
        }
        for (std::size_t k = 0; k < 3; ++k)
            if (face_points_[f][k] == from) {
                faces_[f][k] = replacement(faces_[f][k], to, map);
                face_points_[f][k] = to;
            }
        faces_of_[to].push_back(f);
    }
    faces_of_[from] = {};
    choices_[from] = {};
    ++stamp_[from];
    for (std::size_t s = 0; s < shapes_; ++s) quadrics_[to * shapes_ + s].add(quadrics_[from * shapes_ + s]);
    reach_[to] = std::min(reach_[to], reach_[from]);
    price(to, scratch_);
    schedule(to);
    findNeighbors(to, scratch_);
    const std::vector<std::uint32_t> around = scratch_.around;
    for (const std::uint32_t n : around) {
        exchangeNeighbor(n, from, to);
        schedule(n);
    }
}

bool Simplifier::step() {
    while (!heap_.empty()) {
        const Candidate best = heap_.top();
        heap_.pop();
        if (best.stamp != stamp_[best.from]) continue;
        if (canCollapse(best.from, best.to, scratch_)) {
            const SideMap map = scratch_.map;
            collapse(best.from, best.to, map);
            return true;
        }
        schedule(best.from);
    }
    return false;
}

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
