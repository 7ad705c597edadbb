// The numbers that the network is told of a vertex and a joint that it may follow. All lengths are compared with the
// radius of the skin, the distance between joints or another candidate, never taken as such.
#include <algorithm>
#include <cmath>
#include <limits>

#include "candidate_features.h"

namespace pelt::bind {
namespace {

/// Grows from 0 to 1, with one half where both are equal.
float ratio(double x, double unit) {
    return !(x < 1e30) ? 1.0f : x + unit > 0 ? static_cast<float>(x / (x + unit)) : 0;
}

std::uint32_t rankOf(std::span<const CandidateSight> sights, std::size_t k, float CandidateSight::*value) {
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

void CandidateFeatures::write(std::size_t vertex, float* out) const {
    const std::span<const CandidateSight> all = of(vertex);
    std::size_t have = 0;
    float nearest = std::numeric_limits<float>::infinity(), cheapest = std::numeric_limits<float>::infinity(),
          shortest = std::numeric_limits<float>::infinity();
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
        for (const JointWord word :
             {JointWord::steer, JointWord::end, JointWord::twist, JointWord::eye, JointWord::face, JointWord::jaw,
              JointWord::head, JointWord::hair, JointWord::cloth, JointWord::breast})
            put(is(word));
        put(flag(parent_word == JointWord::head || parent_word == JointWord::jaw || parent_word == JointWord::face));
        put(flag(home.word == JointWord::head));
        put(ratio(home.radius, r));
    }
}

}  // namespace pelt::bind
