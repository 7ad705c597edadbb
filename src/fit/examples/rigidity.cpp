// Influence sets by rigidity, [MohrGleicher03] §5.1.
//
// Diameters are computed exactly without comparing all pairs, as in [MalandainBoissonnat02]: a pair of points each of
// which is farthest from the other is found in a few passes; a longer pair must have a point outside the ball over it.
// Differences to the paper: point sets are measured in rest space, where scaled joints are comparable with others; of
// joints that move alike in all examples only the first is used, since the others would only take its places.
#include "rigidity.h"

#include <algorithm>
#include <limits>

namespace pelt::fit::examples {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kAlike = 1e-10;  ///< relative difference of transforms explained by rounding

double squaredDistance(const Vec3d& a, const Vec3d& b) {
    const Vec3d d = a - b;
    return dot(d, d);
}

std::size_t farthest(std::span<const Vec3d> points, std::size_t from, double& distance) {
    std::size_t most = from;
    distance = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double d = squaredDistance(points[i], points[from]);
        if (d > distance) distance = d, most = i;
    }
    return most;
}

bool isFinite(const Affine3d& a) {
    return std::all_of(a.m, a.m + 16, [](double x) { return std::isfinite(x); });
}

bool moveAlike(const ExamplePoses& examples, std::size_t a, std::size_t b) {
    for (std::size_t e = 0; e < examples.examples; ++e) {
        const double* left = examples.pose(e)[a].m;
        const double* right = examples.pose(e)[b].m;
        for (int i = 0; i < 16; ++i)
            if (std::abs(left[i] - right[i]) > kAlike * std::max(1.0, std::abs(left[i]))) return false;
    }
    return true;
}

}  // namespace

double squaredDiameter(std::span<const Vec3d> points) {
    if (points.size() < 2) return 0;
    double best = 0;
    std::size_t from = 0, other = 0;
    for (;;) {
        double reached = 0;
        const std::size_t next = farthest(points, from, reached);
        if (!(reached > best)) break;
        best = reached;
        other = from;
        from = next;
    }
    // The length of a pair is at most the sum of its distances from the ball's center.
    const Vec3d center = (points[from] + points[other]) / 2.0;
    std::vector<std::pair<double, std::size_t>> outside, all;
    const double radius = std::sqrt(best) / 2;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double r = length(points[i] - center);
        all.emplace_back(r, i);
        if (r > radius) outside.emplace_back(r, i);
    }
    if (outside.empty()) return best;
    // A small tolerance, since the distances from the center are rounded.
    constexpr double kSlack = 1 + 1e-12;
    std::sort(outside.rbegin(), outside.rend());
    const double most = outside.front().first;
    std::erase_if(all, [&](const auto& point) { return (point.first + most) * (point.first + most) * kSlack <= best; });
    std::sort(all.rbegin(), all.rend());
    for (const auto& [r, i] : outside) {
        if ((r + most) * (r + most) * kSlack <= best) break;
        for (const auto& [s, j] : all) {
            if ((r + s) * (r + s) * kSlack <= best) break;
            best = std::max(best, squaredDistance(points[i], points[j]));
        }
    }
    return best;
}

RigidityRanking::RigidityRanking(const ExamplePoses& examples)
    : joints_(examples.joints), examples_(examples.examples), singular_(joints_, false) {
    to_joint_.reserve(joints_ * examples_);
    for (std::uint32_t j = 0; j < joints_; ++j) {
        for (std::size_t e = 0; e < examples_; ++e) {
            to_joint_.push_back(inverse(examples.pose(e)[j]));
            if (!isFinite(to_joint_.back())) singular_[j] = true;
        }
        if (std::none_of(distinct_.begin(), distinct_.end(),
                         [&](std::uint32_t other) { return moveAlike(examples, other, j); }))
            distinct_.push_back(j);
    }
}

/// The squared diameter of a vertex's point set in one joint's space, or any number above `limit` if it is above that.
double RigidityRanking::cloud(std::uint32_t joint, std::span<const Vec3d> trajectory, double limit,
                              std::span<Vec3d> points) const {
    if (singular_[joint]) return kInfinity;  // comes last
    const Affine3d* maps = to_joint_.data() + joint * examples_;
    for (std::size_t e = 0; e < examples_; ++e) {
        points[e] = maps[e] * trajectory[e];
        if (squaredDistance(points[e], points[0]) > limit) return kInfinity;
    }
    return squaredDiameter(points);
}

void RigidityRanking::choose(std::span<const Vec3d> trajectory, std::size_t count,
                             std::vector<std::uint32_t>& joints) const {
    if (count == 0 || count > distinct_.size()) count = distinct_.size();
    // The joints of the previous vertex are usually good: starting with them rules out others early.
    std::vector<std::uint32_t> order = joints;
    for (const std::uint32_t joint : distinct_)
        if (std::find(joints.begin(), joints.end(), joint) == joints.end()) order.push_back(joint);

    std::vector<Vec3d> points(examples_);
    std::vector<std::pair<double, std::uint32_t>> best;
    for (const std::uint32_t joint : order) {
        const double limit = best.size() < count ? kInfinity : best.back().first;
        const std::pair<double, std::uint32_t> entry{cloud(joint, trajectory, limit, points), joint};
        if (best.size() == count && !(entry < best.back())) continue;
        if (best.size() == count) best.pop_back();
        best.insert(std::upper_bound(best.begin(), best.end(), entry), entry);
    }
    joints.clear();
    for (const auto& [diameter, joint] : best) joints.push_back(joint);
}

}  // namespace pelt::fit::examples
