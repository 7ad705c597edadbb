// Makes the triangles of an implicit surface even.
#include "implicit_mesh_remesh.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pelt::scenes {
namespace {

constexpr std::size_t kRemeshGrain = 512;
constexpr double kDegrees = 180 / std::numbers::pi;
constexpr double kGoodAngle = 25;      // degrees; the goal of the last phase
constexpr double kPlaneMargin = 0.35;  // interior vertices stay this many edge lengths away from the mirror plane
constexpr double kDifference = 1e-4;   // step for the gradient of the field
constexpr double kOnSurface = 1e-6;

Vec3d areaVector(const Vec3d& a, const Vec3d& b, const Vec3d& c) { return cross(b - a, c - a) * 0.5; }

/// The largest cosine of the three angles: the smallest angle without an arc cosine.
double sharpestCosine(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d ab = normalized(b - a), bc = normalized(c - b), ca = normalized(a - c);
    return std::max({-dot(ab, ca), -dot(bc, ab), -dot(ca, bc)});
}

}  // namespace

Remesher::Remesher(const ImplicitSurface& surface, EditMesh mesh) : surface_(surface), mesh_(std::move(mesh)) {}

void Remesher::round(double scale, double shortest) {
    measureSizes(scale, shortest);
    splitLong();
    collapseShort();
    flipForValence();
    size_.clear();
    mesh_.compact();
    measureSizes(scale, shortest);
    relax();
    relax();
}

void Remesher::improve() {
    flipForAngle();
    relax();
}

double Remesher::smallestSize(double scale) {
    measureSizes(scale, 0);
    return *std::min_element(size_.begin(), size_.end());
}

void Remesher::measureSizes(double scale, double shortest) {
    size_.resize(mesh_.position.size());
    parallelFor(size_.size(), kRemeshGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v)
            size_[v] = std::max(surface_.edge_length(mesh_.position[v], scale), shortest);
    });
}

bool Remesher::isLongest(std::uint32_t h) const {
    const double own = relativeLength(h);
    return relativeLength(EditMesh::next(h)) <= own && relativeLength(EditMesh::prev(h)) <= own;
}

double Remesher::relativeLength(std::uint32_t h) const {
    return length(mesh_.position[mesh_.to(h)] - mesh_.position[mesh_.from[h]]) / wanted(h);
}

void Remesher::splitLong() {
    // Only edges that are the longest of both their triangles: any other order creates more and more slivers.
    const auto first_new = mesh_.position.size();
    for (std::size_t before = 0; before != mesh_.position.size();) {
        before = mesh_.position.size();
        for (std::uint32_t h = 0; h < mesh_.halfEdgeCount(); ++h) {
            const std::uint32_t g = mesh_.twin[h], a = mesh_.from[h], b = mesh_.to(h);
            if (g != EditMesh::kNone && g < h) continue;
            // An inner edge between two boundary vertices would be duplicated by mirroring.
            const bool chord = g != EditMesh::kNone && mesh_.border[a] && mesh_.border[b];
            const bool too_long = relativeLength(h) > 4.0 / 3;
            if (!chord && !(too_long && isLongest(h) && (g == EditMesh::kNone || isLongest(g)))) continue;
            size_.push_back(wanted(h));
            mesh_.split(h, (mesh_.position[a] + mesh_.position[b]) * 0.5);
        }
    }
    parallelFor(mesh_.position.size() - first_new, kRemeshGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first_new + first; v < first_new + last; ++v)
            mesh_.position[v] = projected(mesh_.position[v], mesh_.border[v], size_[v]);
    });
}

bool Remesher::collapseIsFair(std::uint32_t h) const {
    const std::uint32_t a = mesh_.from[h], b = mesh_.to(h);
    const Vec3d target = mesh_.position[b];
    mesh_.halfEdgesOf(a, ring_);
    for (const std::uint32_t e : ring_) {
        const std::uint32_t c = mesh_.to(e), d = mesh_.tip(e);
        if (length(mesh_.position[c] - target) > 4.0 / 3 * 0.5 * (size_[c] + size_[b])) return false;
        if (length(mesh_.position[d] - target) > 4.0 / 3 * 0.5 * (size_[d] + size_[b])) return false;
        if (c == b || d == b) continue;
        const Vec3d before = areaVector(mesh_.position[a], mesh_.position[c], mesh_.position[d]);
        const Vec3d after = areaVector(target, mesh_.position[c], mesh_.position[d]);
        if (dot(before, after) <= 0.2 * length(before) * length(after)) return false;
    }
    return true;
}

void Remesher::collapseShort() {
    for (std::uint32_t h = 0; h < mesh_.halfEdgeCount(); ++h) {
        if (!mesh_.alive(h)) continue;
        if (relativeLength(h) < 4.0 / 5 && mesh_.canCollapse(h) && collapseIsFair(h)) mesh_.collapse(h);
    }
}

bool Remesher::flipIsAllowed(std::uint32_t h) const {
    const std::uint32_t g = mesh_.twin[h];
    const std::uint32_t a = mesh_.from[h], b = mesh_.to(h), c = mesh_.tip(h), d = mesh_.tip(g);
    if (mesh_.border[c] && mesh_.border[d]) return false;
    const Vec3d &pa = mesh_.position[a], &pb = mesh_.position[b], &pc = mesh_.position[c], &pd = mesh_.position[d];
    const Vec3d old = areaVector(pa, pb, pc) + areaVector(pb, pa, pd);
    const Vec3d n1 = areaVector(pa, pd, pc), n2 = areaVector(pb, pc, pd);
    const double l1 = length(n1), l2 = length(n2), l = length(old);
    if (dot(n1, n2) <= 0.5 * l1 * l2 || dot(n1, old) <= 0.5 * l1 * l || dot(n2, old) <= 0.5 * l2 * l) return false;
    return !mesh_.adjacent(c, d);
}

void Remesher::flipForValence() {
    std::vector<int> excess(mesh_.position.size());
    for (std::uint32_t v = 0; v < excess.size(); ++v) {
        if (mesh_.out[v] != EditMesh::kNone) excess[v] = mesh_.valence(v) - (mesh_.border[v] ? 4 : 6);
    }
    for (std::uint32_t h = 0; h < mesh_.halfEdgeCount(); ++h) {
        const std::uint32_t g = mesh_.twin[h];
        if (!mesh_.alive(h) || g == EditMesh::kNone || g < h) continue;
        const std::uint32_t v[4] = {mesh_.from[h], mesh_.to(h), mesh_.tip(h), mesh_.tip(g)};
        int change = 0;
        for (int i = 0; i < 4; ++i) {
            const int e = excess[v[i]], f = i < 2 ? e - 1 : e + 1;
            change += f * f - e * e;
        }
        if (change >= 0 || !flipIsAllowed(h)) continue;
        mesh_.flip(h);
        --excess[v[0]], --excess[v[1]], ++excess[v[2]], ++excess[v[3]];
    }
}

void Remesher::flipForAngle() {
    for (std::uint32_t h = 0; h < mesh_.halfEdgeCount(); ++h) {
        const std::uint32_t g = mesh_.twin[h];
        if (!mesh_.alive(h) || g == EditMesh::kNone || g < h) continue;
        const Vec3d &a = mesh_.position[mesh_.from[h]], &b = mesh_.position[mesh_.to(h)],
                    &c = mesh_.position[mesh_.tip(h)], &d = mesh_.position[mesh_.tip(g)];
        const double before = std::max(sharpestCosine(a, b, c), sharpestCosine(b, a, d));
        const double after = std::max(sharpestCosine(a, d, c), sharpestCosine(b, c, d));
        if (after < before - 1e-3 && flipIsAllowed(h)) mesh_.flip(h);
    }
}

Vec3d Remesher::projected(const Vec3d& start, bool on_plane, double limit) const {
    // Newton's method; the initial gradient is also used in the second step, which is only a small correction.
    Vec3d p = start;
    double f = surface_.value(p);
    for (int i = 0; i < 2 && std::abs(f) > kOnSurface; ++i) {
        Vec3d g = fieldGradient(surface_, p, kDifference);
        if (on_plane) g.x = 0;
        const double steep = std::max(dot(g, g), 0.1);  // the gradient may vanish at creases
        for (int k = 0; k < 2 && std::abs(f) > kOnSurface; ++k) {
            p -= g * (f / steep);
            f = surface_.value(p);
        }
    }
    return length(p - start) <= limit ? p : start;
}

Vec3d Remesher::projectedAlong(const Vec3d& start, const Vec3d& normal, double limit) const {
    Vec3d p = start;
    for (int i = 0; i < 4; ++i) {
        const double f = surface_.value(p);
        if (std::abs(f) <= kOnSurface) return length(p - start) <= limit ? p : start;
        p -= normal * f;
    }
    return projected(start, false, limit);
}

Vec3d Remesher::relaxed(std::uint32_t v, std::vector<std::uint32_t>& ring) const {
    const Vec3d p = mesh_.position[v];
    mesh_.halfEdgesOf(v, ring);
    if (mesh_.border[v]) {  // between its neighbors along the boundary
        const std::uint32_t a = mesh_.to(ring.front()), b = mesh_.tip(ring.back());
        const double wa = 1 / size_[a], wb = 1 / size_[b];
        const Vec3d middle = (mesh_.position[a] * wa + mesh_.position[b] * wb) / (wa + wb);
        return projected(p + (middle - p) * 0.7, true, size_[v]);
    }
    Vec3d sum, normal;
    double total = 0;
    for (const std::uint32_t h : ring) {
        const std::uint32_t a = mesh_.to(h), b = mesh_.tip(h);
        const Vec3d area = areaVector(p, mesh_.position[a], mesh_.position[b]);
        const double s = (size_[v] + size_[a] + size_[b]) / 3, w = length(area) / (s * s);
        sum += (p + mesh_.position[a] + mesh_.position[b]) * (w / 3);
        total += w;
        normal += area;
    }
    if (!(total > 0)) return p;
    normal = normalized(normal);
    Vec3d step = sum / total - p;
    step -= normal * dot(step, normal);
    const Vec3d result = projectedAlong(p + step, normal, size_[v]);
    const bool too_close = surface_.symmetric && result.x < kPlaneMargin * size_[v] && result.x < p.x;
    return too_close ? projected(p, false, size_[v]) : result;
}

void Remesher::relax() {
    std::vector<Vec3d> moved(mesh_.position.size());
    parallelFor(moved.size(), kRemeshGrain, [&](std::size_t first, std::size_t last) {
        std::vector<std::uint32_t> ring;
        for (std::size_t v = first; v < last; ++v) moved[v] = relaxed(static_cast<std::uint32_t>(v), ring);
    });
    mesh_.position = std::move(moved);
}

double Remesher::worstAngleAround(std::uint32_t v, const Vec3d& at) const {
    double worst = -1;
    mesh_.halfEdgesOf(v, ring_);
    for (const std::uint32_t h : ring_) {
        const Vec3d &a = mesh_.position[mesh_.to(h)], &b = mesh_.position[mesh_.tip(h)];
        worst = std::max(worst, sharpestCosine(at, a, b));
    }
    return worst;
}

bool Remesher::moveForAngle(std::uint32_t v) {
    if (mesh_.border[v]) return false;
    Vec3d best = mesh_.position[v];
    double worst = worstAngleAround(v, best);
    const double start = worst;
    const Vec3d n = normalized(fieldGradient(surface_, best));
    const Vec3d u = normalized(cross(n, std::abs(n.x) < 0.7 ? Vec3d(1, 0, 0) : Vec3d(0, 1, 0))), w = cross(n, u);
    for (double reach = 0.3 * size_[v]; reach > 0.02 * size_[v]; reach *= 0.6) {
        const Vec3d center = best;
        for (int i = 0; i < 8; ++i) {
            const double angle = i * std::numbers::pi / 4;
            const Vec3d p = projected(center + (u * std::cos(angle) + w * std::sin(angle)) * reach, false, reach);
            if (surface_.symmetric && p.x < kPlaneMargin * size_[v]) continue;
            const double c = worstAngleAround(v, p);
            if (c < worst) worst = c, best = p;
        }
    }
    mesh_.position[v] = best;
    return worst < start - 1e-4;
}

double Remesher::improveWorst() {
    const double limit = std::cos(kGoodAngle / kDegrees);
    double worst = 1;
    for (int pass = 0; pass < 8; ++pass) {
        worst = -1;
        bool changed = false;
        for (std::uint32_t h = 0; h < mesh_.halfEdgeCount(); h += 3) {
            const std::uint32_t v[3] = {mesh_.from[h], mesh_.from[h + 1], mesh_.from[h + 2]};
            const double c = sharpestCosine(mesh_.position[v[0]], mesh_.position[v[1]], mesh_.position[v[2]]);
            worst = std::max(worst, c);
            if (c <= limit) continue;
            for (const std::uint32_t k : v) changed = moveForAngle(k) || changed;
        }
        if (!changed) break;
        flipForAngle();
    }
    worst = -1;
    for (std::uint32_t h = 0; h < mesh_.halfEdgeCount(); h += 3) {
        worst = std::max(worst, sharpestCosine(mesh_.position[mesh_.from[h]], mesh_.position[mesh_.from[h + 1]],
                                               mesh_.position[mesh_.from[h + 2]]));
    }
    return std::acos(worst) * kDegrees;
}

}  // namespace pelt::scenes
