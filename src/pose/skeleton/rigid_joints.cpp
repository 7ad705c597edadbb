// From the affine transforms of a pose to rigid joints of a skeleton, by coordinate descent: with all other joints
// fixed, joint j and its descendants move the vertices by x_i(R) = a_i + R b_i about the joint, so that the best
// rotation is the one nearest to Σ (v'_i - a_i) b_i^T, and the error never increases (except at limits). Targets of
// joints are treated as vertices with a large weight.
#include <pelt/pose/rigid_joints.h>
#include <pelt/runtime/rotation.h>

#include <algorithm>
#include <cmath>

#include "turn_limits.h"

namespace pelt::pose {
namespace {

constexpr double kTargetStrength = 4;  ///< weight of a target relative to all vertices together

/// A point blended by the joints, and its target position.
struct Sample {
    Vec3d rest, posed;
    double strength = 1;
    std::size_t first = 0, last = 0;  ///< its influences
};

struct Influence {
    std::size_t joint = 0;
    double weight = 0;
};

class Chain {
public:
    Chain(const Skeleton& skeleton, const PosedSkin& skin, std::span<const Affine3d> transforms,
          const RigidOptions& options)
        : options_(options),
          parents_(rig::jointParents(skeleton)),
          rest_(rig::jointRestPositions(skeleton)),
          children_(parents_.size()),
          moved_(parents_.size()),
          place_(parents_.size()),
          end_(parents_.size()),
          whole_(parents_.size(), 0),
          turns_(parents_.size()),
          worlds_(parents_.size()) {
        for (std::size_t j = 0; j < parents_.size(); ++j)
            if (parents_[j] >= 0) children_[std::size_t(parents_[j])].push_back(j);
        for (const JointTarget& t : options.targets) whole_[t.joint] = t.whole ? 1 : 0;
        for (std::size_t j = 0; j < parents_.size(); ++j)
            if (parents_[j] < 0) addOrder(j);
        takeSamples(skin);
        for (const Affine3d& t : transforms) given_.push_back(runtime::boneRotation(t.linear()));
        for (const std::size_t j : order_) {
            const Vec3d at = parents_[j] < 0 ? transforms[j] * rest_[j] : worlds_[std::size_t(parents_[j])] * rest_[j];
            put(j, given_[j], at);
        }
        for (int sweep = 0; sweep < options.sweeps; ++sweep)
            for (const std::size_t j : order_) improve(j);
    }
    std::vector<Affine3d> take() { return std::move(worlds_); }

private:
    void addOrder(std::size_t joint) {
        place_[joint] = order_.size();
        order_.push_back(joint);
        for (const std::size_t child : children_[joint]) addOrder(child);
        end_[joint] = order_.size();
    }
    bool hangsOn(std::size_t joint, std::size_t top) const {
        return place_[joint] >= place_[top] && place_[joint] < end_[top];
    }
    void takeSamples(const PosedSkin& skin) {
        const std::size_t stride =
            std::max<std::size_t>(1, skin.rest.size() / std::max<std::size_t>(1, options_.samples));
        for (std::size_t v = 0; v < skin.rest.size(); v += stride) {
            Sample s{Vec3d(skin.rest[v]), Vec3d(skin.posed[v]), 1, influences_.size(), 0};
            for (std::size_t k = 0; k < skin.weights->influenceCount(v); ++k)
                influences_.push_back({skin.weights->jointsOf(v)[k], double(skin.weights->weightsOf(v)[k])});
            s.last = influences_.size();
            samples_.push_back(s);
        }
        const double all = double(samples_.size());
        for (const JointTarget& t : options_.targets) {
            samples_.push_back(
                {rest_[t.joint], t.target, kTargetStrength * all, influences_.size(), influences_.size() + 1});
            influences_.push_back({t.joint, 1});
        }
        for (std::uint32_t s = 0; s < samples_.size(); ++s)
            for (std::size_t e = samples_[s].first; e < samples_[s].last; ++e)
                for (auto j = std::int32_t(influences_[e].joint); j >= 0; j = parents_[std::size_t(j)]) {
                    std::vector<std::uint32_t>& moved = moved_[std::size_t(j)];
                    if (moved.empty() || moved.back() != s) moved.push_back(s);
                }
    }
    Mat3d parentTurn(std::size_t j) const {
        return parents_[j] < 0 ? Mat3d() : worlds_[std::size_t(parents_[j])].linear();
    }
    /// The direction of the joint's bone at rest.
    Vec3d along(std::size_t j) const {
        Vec3d sum;
        for (const std::size_t child : children_[j]) sum += rest_[child] - rest_[j];
        if (dot(sum, sum) == 0 && parents_[j] >= 0) sum = rest_[j] - rest_[std::size_t(parents_[j])];
        return normalized(sum, Vec3d{0, 1, 0});
    }
    void put(std::size_t j, const Mat3d& world, const Vec3d& position) {
        Mat3d turn = transposed(parentTurn(j)) * world;
        if (options_.limits && parents_[j] >= 0 && !whole_[j]) {
            const rig::RangeOfMotion& range = *options_.limits;
            turn = withinLimits(turn, along(j), range.joints.empty() ? range.limits : range.joints[j]);
        }
        turns_[j] = toMatrix(toQuat(turn));  // rounding would accumulate over sweeps
        const Mat3d r = parentTurn(j) * turns_[j];
        worlds_[j] = {r, position - r * rest_[j]};
    }
    /// Recomputes the joints below `top` from their rotations; those with a whole target keep theirs.
    void follow(std::size_t top) {
        for (const std::size_t child : children_[top]) {
            const Vec3d at = worlds_[top] * rest_[child];
            if (whole_[child]) turns_[child] = toMatrix(toQuat(transposed(worlds_[top].linear()) * given_[child]));
            const Mat3d r = worlds_[top].linear() * turns_[child];
            worlds_[child] = {r, at - r * rest_[child]};
            follow(child);
        }
    }
    void improve(std::size_t j) {
        if (parents_[j] < 0 && !whole_[j]) move(j);
        if (whole_[j]) return;
        const Vec3d at = worlds_[j] * rest_[j];
        Mat3d sum = Mat3d() * 0.0;
        for (const std::uint32_t index : moved_[j]) {
            const Sample& s = samples_[index];
            Vec3d hanging, rest = s.posed;
            double share = 0;
            for (std::size_t e = s.first; e < s.last; ++e) {
                const Influence& i = influences_[e];
                const Vec3d moved = (worlds_[i.joint] * s.rest) * i.weight;
                if (hangsOn(i.joint, j)) {
                    hanging += moved;
                    share += i.weight;
                } else {
                    rest -= moved;
                }
            }
            if (share == 0) continue;
            const Vec3d from = (hanging - at * share) * s.strength, to = rest - at * share;
            for (int a = 0; a < 3; ++a) sum.col[a] += to * from[a];
        }
        const NearestTurn turn = runtime::nearestRotation(sum);
        if (!(turn.gap > 1e-4)) return;  // no vertices or children determine it
        put(j, turn.rotation * worlds_[j].linear(), at);
        follow(j);
    }
    /// A joint without a parent also translates to fit its vertices.
    void move(std::size_t j) {
        Vec3d sum;
        double weight = 0;
        for (const std::uint32_t index : moved_[j]) {
            const Sample& s = samples_[index];
            Vec3d off = s.posed;
            double share = 0;
            for (std::size_t e = s.first; e < s.last; ++e) {
                off -= (worlds_[influences_[e].joint] * s.rest) * influences_[e].weight;
                if (hangsOn(influences_[e].joint, j)) share += influences_[e].weight;
            }
            sum += off * (share * s.strength);
            weight += share * share * s.strength;
        }
        if (!(weight > 0)) return;
        worlds_[j] = {worlds_[j].linear(), worlds_[j].translation() + sum / weight};
        follow(j);
    }

    using NearestTurn = runtime::NearestRotation;
    const RigidOptions& options_;
    std::vector<std::int32_t> parents_;
    std::vector<Vec3d> rest_;
    std::vector<std::vector<std::size_t>> children_;
    std::vector<std::vector<std::uint32_t>> moved_;  ///< per joint, the samples that it or a descendant moves
    std::vector<std::size_t> order_, place_, end_;   ///< parents first; the descendants of a joint form a range
    std::vector<char> whole_;
    std::vector<Mat3d> turns_;  ///< relative to the parent, in rest space
    std::vector<Mat3d> given_;  ///< rotations of the transforms
    std::vector<Affine3d> worlds_;
    std::vector<Sample> samples_;
    std::vector<Influence> influences_;
};

}  // namespace

std::vector<Affine3d> rigidJoints(const Skeleton& skeleton, const PosedSkin& skin, std::span<const Affine3d> transforms,
                                  const RigidOptions& options) {
    return Chain(skeleton, skin, transforms, options).take();
}

}  // namespace pelt::pose
