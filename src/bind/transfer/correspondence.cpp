// Finds for each vertex the place on another skin that it would copy its weights from.
#include "correspondence.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pelt::bind::transfer {
namespace {

using geometry::SurfacePlace;

constexpr double kFarther = 2;  ///< a point that faces the same way may be this much farther than the nearest one
constexpr double kTouching =
    0.005;  ///< of the diagonal: farther than the nearest point by less than this is no farther
constexpr double kOnSurface = 0.001;  ///< of the diagonal: a vertex that lies on the skin is part of it
constexpr double kHome = 0.75;   ///< share of a part that copies from one part of the skin, so that all of it should
constexpr double kLayer = 0.02;  ///< of the diagonal: the largest distance between the two sides of a cloth

class Matcher {
public:
    Matcher(const BindSurface& from, const BindSurface& to, double reach, double angle)
        : from_(from), to_(to), reach_(reach), least_cosine_(std::cos(angle * std::numbers::pi / 180)) {}

    Match match(std::size_t vertex) const {
        const Vec3d &point = to_.positions[vertex], &normal = to_.normals[vertex];
        Match match;
        const auto nearest = from_.tree.nearest(point, HUGE_VAL);
        if (!nearest) return match;
        match.place = *nearest;
        match.distance = nearest->distance;
        if (match.distance > reach_) return match;
        match.agrees = faces(*nearest, normal);
        if (match.agrees || normal == Vec3d()) return match;
        const double limit = std::min(reach_, kFarther * match.distance + kTouching * from_.diagonal);
        const auto along = from_.tree.nearestFacing(point, limit, {normal, least_cosine_});
        const auto behind = otherSide(point, normal, along ? along->distance / 2 : limit);
        match.agrees = along || behind || match.distance <= kOnSurface * from_.diagonal;
        if (behind)
            match.place = *behind;
        else if (along)
            match.place = *along;
        return match;
    }

    /// The same from one part of the skin only, if that is not much farther.
    void goHome(std::size_t vertex, std::uint32_t part, Match& match) const {
        std::vector<bool> allowed(from_.parts.count, false);
        allowed[part] = true;
        const double limit = std::min(reach_, kFarther * match.distance + kTouching * from_.diagonal);
        if (const auto place = from_.tree.nearest(to_.positions[vertex], limit, allowed)) match.place = *place;
    }

private:
    /// Whether the skin at this place faces the direction: by its smooth normal, or by that of the face.
    bool faces(const SurfacePlace& place, const Vec3d& direction) const {
        const Triangle& corners = from_.triangles[place.triangle];
        Vec3d smooth;
        for (std::size_t k = 0; k < 3; ++k) smooth += from_.normals[corners[k]] * place.shares[k];
        const Vec3d& a = from_.positions[corners[0]];
        const Vec3d flat = cross(from_.positions[corners[1]] - a, from_.positions[corners[2]] - a);
        return std::max(dot(normalized(smooth), direction), dot(normalized(flat), direction)) >= least_cosine_;
    }

    /// The lining of a cloth faces the skin. It copies from there, unless it could be the outside of a sleeve beside
    /// the body: `limit` is less than the distance to what is behind it.
    std::optional<SurfacePlace> otherSide(const Vec3d& point, const Vec3d& normal, double limit) const {
        const auto place = from_.tree.nearestFacing(point, limit, {-normal, least_cosine_});
        if (!place) return place;
        std::vector<geometry::Crossing> crossings;
        const double skin = 1e-6 * from_.diagonal;
        to_.tree.crossings(point - normal * skin, -normal, kLayer * from_.diagonal, crossings);
        const bool layered =
            std::any_of(crossings.begin(), crossings.end(), [](const auto& c) { return c.leaving > 0; });
        return layered ? place : std::nullopt;
    }

    const BindSurface &from_, &to_;
    double reach_, least_cosine_;
};

/// Runs `work(vertex)` for all vertices, with progress between `begin` and `end` of the stage.
template <class Work>
void forEachVertex(std::size_t count, const Progress& progress, double begin, double end, const Work& work) {
    constexpr std::size_t kStep = 16384;
    for (std::size_t start = 0; start < count; start += kStep) {
        progress.report("match", begin + (end - begin) * double(start) / double(count));
        parallelFor(std::min(kStep, count - start), 64, [&](std::size_t first, std::size_t last) {
            for (std::size_t v = start + first; v < start + last; ++v) work(v);
        });
    }
}

constexpr std::uint32_t kNoHome = ~std::uint32_t(0);

/// Per part of `to`, the part of the skin that most of it copies from, or kNoHome.
std::vector<std::uint32_t> homesOf(const BindSurface& from, const BindSurface& to, std::span<const Match> matches) {
    std::vector<std::vector<std::uint32_t>> chosen(to.parts.count);
    for (std::size_t v = 0; v < matches.size(); ++v)
        if (matches[v].agrees)
            chosen[to.parts.part[v]].push_back(from.parts.part[from.triangles[matches[v].place.triangle][0]]);
    std::vector<std::uint32_t> homes(to.parts.count, kNoHome);
    for (std::size_t p = 0; p < chosen.size(); ++p) {
        std::vector<std::uint32_t>& parts = chosen[p];
        std::sort(parts.begin(), parts.end());
        for (auto first = parts.begin(); first != parts.end();) {
            const auto last = std::upper_bound(first, parts.end(), *first);
            if (double(last - first) >= kHome * double(parts.size())) homes[p] = *first;
            first = last;
        }
    }
    return homes;
}

}  // namespace

std::vector<Match> matchSurfaces(const BindSurface& from, const BindSurface& to, double reach, double angle,
                                 const Progress& progress) {
    const Matcher matcher(from, to, reach, angle);
    std::vector<Match> matches(to.positions.size());
    forEachVertex(matches.size(), progress, 0, 0.9, [&](std::size_t v) { matches[v] = matcher.match(v); });
    // Where parts of the skin touch or intersect, each part of the mesh copies from the one that it corresponds to.
    const std::vector<std::uint32_t> homes = homesOf(from, to, matches);
    forEachVertex(matches.size(), progress, 0.9, 1, [&](std::size_t v) {
        const std::uint32_t home = homes[to.parts.part[v]];
        if (home == kNoHome || !matches[v].agrees) return;
        if (from.parts.part[from.triangles[matches[v].place.triangle][0]] != home) matcher.goHome(v, home, matches[v]);
    });
    return matches;
}

std::vector<Match> nearestPlaces(const BindSurface& from, const BindSurface& to, const Progress& progress) {
    std::vector<Match> matches(to.positions.size());
    forEachVertex(matches.size(), progress, 0, 1, [&](std::size_t v) {
        if (const auto place = from.tree.nearest(to.positions[v], HUGE_VAL))
            matches[v] = {*place, place->distance, true};
    });
    return matches;
}

}  // namespace pelt::bind::transfer
