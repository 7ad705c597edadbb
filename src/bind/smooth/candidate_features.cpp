// How vertices see the joints that they may follow: in a straight line, through the solid and over the surface.
#include "candidate_features.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bind/rigid/bone_choice.h"

namespace pelt::bind {
namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();
constexpr double kReach = 3;          // radii: how far from its region a joint is looked for
constexpr double kLeastReach = 0.05;  // of the diagonal

}  // namespace

CandidateFeatures::CandidateFeatures(const BindScene& scene, const Progress& progress) : scene_(scene) {
    const std::size_t count = scene.surface.positions.size();
    progress.report("bind", 0.2);
    measureRegions();
    progress.report("bind", 0.3);
    sights_.resize(count * kCandidates);
    thickness_.resize(count);
    constexpr std::size_t kBlock = 1 << 13;  // between two reports
    for (std::size_t done = 0; done < count; done += kBlock) {
        progress.report("bind", 0.3 + 0.4 * static_cast<double>(done) / static_cast<double>(count));
        parallelFor(std::min(kBlock, count - done), 128, [&](std::size_t first, std::size_t last) {
            std::vector<std::pair<float, CandidateSight>> nearest;
            std::vector<geometry::Crossing> crossings;
            for (std::size_t v = done + first; v < done + last; ++v) {
                choose(v, nearest);
                look(v, crossings);
            }
        });
    }
    progress.report("bind", 0.7);
    walk();
}

/// Distances over the surface from the region of each joint.
void CandidateFeatures::measureRegions() {
    const std::vector<std::uint32_t>& labels = scene_.labels.joints;
    const std::size_t count = labels.size(), joint_count = scene_.tree.size();
    std::vector<std::vector<std::uint32_t>> members(joint_count);
    for (std::uint32_t v = 0; v < count; ++v) {
        const auto to = scene_.graph.rowOf(scene_.graph.to, v);
        if (std::any_of(to.begin(), to.end(), [&](std::uint32_t n) { return labels[n] != labels[v]; }))
            members[labels[v]].push_back(v);
    }
    std::vector<Reached> reached(joint_count);
    parallelFor(joint_count, 4, [&](std::size_t first, std::size_t last) {
        ShortestPaths paths(scene_.graph);
        for (std::size_t j = first; j < last; ++j) {
            if (members[j].empty()) continue;
            const double limit = std::max(kReach * scene_.joints[j].radius, kLeastReach * scene_.surface.diagonal);
            const std::vector<float> zeros(members[j].size(), 0.0f);
            reached[j] = paths.from(members[j], zeros, static_cast<float>(limit));
        }
    });
    std::vector<std::uint32_t> sizes(count + 1, 0);
    borders_.assign(count, kFar);
    for (std::uint32_t j = 0; j < joint_count; ++j)
        for (const std::uint32_t v : reached[j].vertices) sizes[v + 1] += labels[v] != j;
    for (std::size_t v = 0; v < count; ++v) sizes[v + 1] += sizes[v];
    region_rows_.offsets = sizes;
    regions_.resize(sizes[count]);
    for (std::uint32_t j = 0; j < joint_count; ++j) {
        for (std::size_t k = 0; k < reached[j].vertices.size(); ++k) {
            const std::uint32_t v = reached[j].vertices[k];
            if (labels[v] == j) continue;
            regions_[sizes[v]++] = {j, reached[j].distances[k]};
            borders_[v] = std::min(borders_[v], reached[j].distances[k]);
        }
    }
}

/// The joint of the rules, the two above it, and those that are near, straight and over the surface.
void CandidateFeatures::choose(std::size_t vertex, std::vector<std::pair<float, CandidateSight>>& nearest) {
    constexpr float kUnreached = 1.5f;
    const Vec3d point = scene_.surface.positions[vertex];
    const auto regions = region_rows_.rowOf(regions_, vertex);
    const std::uint32_t label = scene_.labels.joints[vertex];
    const std::int32_t above = scene_.tree.parents[label];
    const std::int32_t top = above < 0 ? -1 : scene_.tree.parents[static_cast<std::size_t>(above)];
    nearest.clear();
    std::size_t next = 0;
    for (std::uint32_t j = 0; j < scene_.tree.size(); ++j) {
        while (next < regions.size() && regions[next].first < j) ++next;
        if (scene_.choices[j] == SkinChoice::none) continue;
        CandidateSight sight;
        sight.joint = j;
        double straight = HUGE_VAL;
        for (std::size_t b = scene_.first_view[j]; b < scene_.first_view[j + 1]; ++b)
            straight = std::min(straight, distanceTo(scene_.labels.views[b].segment, point));
        sight.straight = static_cast<float>(straight);
        sight.region = next < regions.size() && regions[next].first == j ? regions[next].second : kFar;
        if (j == label) sight.region = 0;
        const auto isUp = [&](std::int32_t up) { return up == static_cast<std::int32_t>(j); };
        const float near = sight.straight + 0.5f * std::min(sight.region, kUnreached * sight.straight);
        const float score = j == label    ? -3.0f
                            : isUp(above) ? -2.0f
                            : isUp(top)   ? -1.0f
                                          : std::min(near, 0.2f * sight.straight + 0.7f * sight.region);
        nearest.emplace_back(score, sight);
    }
    const std::size_t kept = std::min(kCandidates, nearest.size());
    std::partial_sort(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(kept), nearest.end(),
                      [](const auto& a, const auto& b) {
                          return a.first < b.first || (a.first == b.first && a.second.joint < b.second.joint);
                      });
    for (std::size_t k = 0; k < kept; ++k) sights_[vertex * kCandidates + k] = nearest[k].second;
}

/// Fills in what lies between the vertex and the bones of its candidates.
void CandidateFeatures::look(std::size_t vertex, std::vector<geometry::Crossing>& crossings) {
    const BindSurface& surface = scene_.surface;
    const Vec3d point = surface.positions[vertex], normal = surface.normals[vertex];
    const std::uint32_t part = surface.parts.part[vertex];
    const bool faces = !scene_.labels.pieces[part].rides();
    for (CandidateSight& sight : std::span(sights_).subspan(vertex * kCandidates, kCandidates)) {
        if (sight.joint == CandidateSight::kNone) break;
        const BoneView* bone = nullptr;
        double nearest = HUGE_VAL;
        for (std::size_t b = scene_.first_view[sight.joint]; b < scene_.first_view[sight.joint + 1]; ++b) {
            const double apart = distanceTo(scene_.labels.views[b].segment, point);
            if (bone && !(apart < nearest)) continue;
            nearest = apart;
            bone = &scene_.labels.views[b];
        }
        const Vec3d start = bone->segment.start, along = bone->segment.end - start;
        const double squared = dot(along, along), whole = std::sqrt(squared);
        const double t = squared > 0 ? dot(point - start, along) / squared : 0.0, inner = std::clamp(t, 0.0, 1.0);
        const Vec3d line = point - (start + along * inner);
        const int place = std::min(static_cast<int>(inner * BoneView::kPlaces), BoneView::kPlaces - 1);
        const int winding = bone->windings[static_cast<std::size_t>(place)];
        const double outside = shareOutside(surface.tree, point - line, line, winding, crossings);
        const double shown = faces ? facingPrice(normal, line, along, t > 0 && t < 1) : 0;
        const double radius = scene_.joints[sight.joint].radius;
        sight.outside = static_cast<float>(outside);
        sight.within = static_cast<float>(bone->shareIn(part));
        sight.price = static_cast<float>(length(line) * (1 + 2 * outside + 2 * (1 - bone->shareIn(part))) *
                                         (1 + shown) * (1 + 0.5 * std::max(0.0, length(line) / radius - 1.5)));
        sight.facing = static_cast<float>(dot(normal, normalized(line)));
        sight.aligned = static_cast<float>(dot(normal, normalized(along)));
        sight.ahead = static_cast<float>(dot(normalized(along), normalized(point - start)));
        sight.before = static_cast<float>(std::max(0.0, -t) * whole);
        sight.beyond = static_cast<float>(std::max(0.0, t - 1) * whole);
        sight.along = static_cast<float>(inner);
        sight.length = static_cast<float>(whole);
        sight.walked = sight.straight * (1 + 4 * sight.outside) * (sight.facing < 0 ? 1 - sight.facing : 1);
    }
    surface.tree.crossings(point - normal * (1e-4 * surface.diagonal), -normal, surface.diagonal, crossings);
    const auto out = std::find_if(crossings.begin(), crossings.end(), [](const auto& c) { return c.leaving > 0; });
    thickness_[vertex] = out == crossings.end() || normal == Vec3d{} ? kFar : static_cast<float>(out->t);
}

/// A vertex that does not see a bone reaches it by way of those that do.
void CandidateFeatures::walk() {
    const std::size_t count = scene_.surface.positions.size(), joint_count = scene_.tree.size();
    std::vector<std::vector<std::uint32_t>> places(joint_count);
    for (std::size_t k = 0; k < sights_.size(); ++k)
        if (sights_[k].joint != CandidateSight::kNone)
            places[sights_[k].joint].push_back(static_cast<std::uint32_t>(k));
    parallelFor(joint_count, 4, [&](std::size_t first, std::size_t last) {
        ShortestPaths paths(scene_.graph);
        std::vector<bool> allowed(count, false);
        std::vector<std::uint32_t> vertices;
        std::vector<float> distances;
        for (std::size_t j = first; j < last; ++j) {
            vertices.clear();
            distances.clear();
            for (const std::uint32_t k : places[j]) {
                vertices.push_back(static_cast<std::uint32_t>(k / kCandidates));
                distances.push_back(sights_[k].walked);
                allowed[vertices.back()] = true;
            }
            const Reached reached = paths.from(vertices, distances, kFar, allowed);
            std::size_t next = 0;
            for (const std::uint32_t k : places[j]) {
                allowed[k / kCandidates] = false;
                while (next < reached.vertices.size() && reached.vertices[next] < k / kCandidates) ++next;
                if (next < reached.vertices.size() && reached.vertices[next] == k / kCandidates)
                    sights_[k].walked = reached.distances[next];
            }
        }
    });
}

}  // namespace pelt::bind
