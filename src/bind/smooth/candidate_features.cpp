// What the network knows about a vertex and a joint that it may follow. All lengths are compared with the radius of the
// skin, the distance between joints or another candidate, never taken as such.
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

/// Grows from 0 to 1, with one half where both are equal.
float ratio(double x, double unit) { return !(x < 1e30) ? 1.0f : x + unit > 0 ? static_cast<float>(x / (x + unit)) : 0; }

std::uint32_t rankOf(std::span<const CandidateSight> sights, std::size_t k, float CandidateSight::* value) {
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < sights.size(); ++i)
        rank += sights[i].*value < sights[k].*value || (sights[i].*value == sights[k].*value && i < k);
    return rank;
}

/// Steps up the tree to the joint that both are below, at most six in all.
int stepsBetween(const JointTree& tree, std::uint32_t a, std::uint32_t b) {
    constexpr int kMostSteps = 6;
    auto x = static_cast<std::int32_t>(a);
    for (int up = 0; x >= 0 && up <= kMostSteps; ++up, x = tree.parents[static_cast<std::size_t>(x)]) {
        auto y = static_cast<std::int32_t>(b);
        for (int down = 0; y >= 0 && up + down <= kMostSteps; ++down, y = tree.parents[static_cast<std::size_t>(y)])
            if (x == y) return up + down;
    }
    return kMostSteps;
}

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
        sight.price = static_cast<float>(length(line) * (1 + 2 * outside + 2 * (1 - bone->shareIn(part))) * (1 + shown) *
                                         (1 + 0.5 * std::max(0.0, length(line) / radius - 1.5)));
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
        if (sights_[k].joint != CandidateSight::kNone) places[sights_[k].joint].push_back(static_cast<std::uint32_t>(k));
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

void CandidateFeatures::write(std::size_t vertex, float* out) const {
    const std::span<const CandidateSight> all = of(vertex);
    std::size_t have = 0;
    float nearest = kFar, cheapest = kFar, shortest = kFar;
    for (; have < all.size() && all[have].joint != CandidateSight::kNone; ++have) {
        nearest = std::min(nearest, all[have].straight);
        cheapest = std::min(cheapest, all[have].price);
        shortest = std::min(shortest, all[have].walked);
    }
    const auto sights = all.first(have);
    std::fill(out, out + kCandidates * kFeatures, 0.0f);
    const JointTree& tree = scene_.tree;
    const std::uint32_t label = scene_.labels.joints[vertex], part = scene_.surface.parts.part[vertex];
    const JointFacts& home = scene_.joints[label];
    const PieceFacts& piece = scene_.pieces[part];
    const Piece& kind = scene_.labels.pieces[part];
    const Vec3d point = scene_.surface.positions[vertex];
    const double diagonal = scene_.surface.diagonal, border = borders_[vertex], tiny = 1e-6 * diagonal;
    for (std::size_t k = 0; k < have; ++k) {
        const CandidateSight& s = sights[k];
        const JointFacts& joint = scene_.joints[s.joint];
        const std::int32_t up = tree.parents[s.joint], home_up = tree.parents[label];
        const bool own = s.joint == label;
        const double r = joint.radius, from_joint = length(point - tree.positions[s.joint]);
        const auto parent_word = up < 0 ? JointWord::plain : scene_.joints[static_cast<std::size_t>(up)].word;
        float share = 0;
        for (const auto& [j, area] : piece.shares)
            if (j == s.joint) share = area;
        float side = 0;
        if (const double apart = dot(joint.across, joint.across); apart > tiny * tiny)
            side = static_cast<float>(
                std::clamp(1 - 2 * dot(point - tree.positions[s.joint], joint.across) / apart, -1.0, 1.0));
        const auto steps = stepsBetween(tree, s.joint, label);
        const auto flag = [](bool yes) { return yes ? 1.0f : 0.0f; };
        const auto is = [&](JointWord word) { return flag(joint.word == word); };
        float* f = out + k * kFeatures;
        const auto put = [&](float value) { *f++ = value; };
        put(ratio(s.straight, r));
        put(static_cast<float>((nearest + tiny) / (s.straight + tiny)));
        put(ratio(s.straight, joint.spacing));
        put(s.outside);
        put(static_cast<float>((cheapest + tiny) / (s.price + tiny)));
        put(s.within);
        put(s.facing);
        put(s.aligned);
        put(static_cast<float>((shortest + tiny) / (s.walked + tiny)));
        put(ratio(s.walked, r));
        put(ratio(s.region, r));
        put(ratio(s.region, home.radius));
        put(flag(own));
        put(own ? ratio(border, home.radius) : 0);
        put(ratio(border, home.radius));
        put(static_cast<float>(rankOf(sights, k, &CandidateSight::region)) / kCandidates);
        put(static_cast<float>(rankOf(sights, k, &CandidateSight::straight)) / kCandidates);
        put(static_cast<float>(rankOf(sights, k, &CandidateSight::walked)) / kCandidates);
        put(ratio(s.before, r));
        put(ratio(s.beyond, r));
        put(s.along);
        put(ratio(from_joint, r));
        put(ratio(from_joint, joint.spacing));
        put(flag(home_up == static_cast<std::int32_t>(s.joint)));
        put(flag(up == static_cast<std::int32_t>(label)));
        put(flag(!own && up >= 0 && up == home_up));
        put(static_cast<float>(steps) / 6);
        put(ratio(joint.depth, 6));
        put(flag(tree.children[s.joint].empty()));
        put(ratio(static_cast<double>(tree.children[s.joint].size()), 3));
        put(ratio(s.length, r));
        put(ratio(joint.length, 0.1 * diagonal));
        put(ratio(r, 0.05 * diagonal));
        put(ratio(joint.spacing, r));
        put(flag(joint.gone));
        put(flag(joint.inside));
        put(flag(joint.shares_place));
        put(ratio(joint.region, 0.02));
        put(static_cast<float>(joint.straight));
        put(ratio(kind.area, 0.1));
        put(flag(kind.isRigid()));
        put(flag(kind.rides()));
        put(share);
        put(ratio(length(tree.positions[s.joint] - piece.center), piece.size));
        put(flag(std::binary_search(kind.joints.begin(), kind.joints.end(), s.joint)));
        put(side);
        put(flag(joint.across != Vec3d{}));
        put(s.ahead);
        put(ratio(thickness_[vertex], r));
        put(ratio(s.straight, 0.5 * thickness_[vertex]));
        for (const JointWord word : {JointWord::steer, JointWord::end, JointWord::twist, JointWord::eye, JointWord::face,
                                     JointWord::jaw, JointWord::head, JointWord::hair, JointWord::cloth,
                                     JointWord::breast})
            put(is(word));
        put(flag(parent_word == JointWord::head || parent_word == JointWord::jaw || parent_word == JointWord::face));
        put(flag(home.word == JointWord::head));
        put(ratio(home.radius, r));
    }
}

}  // namespace pelt::bind
