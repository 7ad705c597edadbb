// Merges joints into their parents, the cheapest first.
#include "joint_merging.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/rig/remove_joints.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>

namespace pelt::verbs {
namespace {

constexpr std::size_t kMostMergePoses = 200;  ///< of the clips
/// How much the range of motion counts beside the clips: a little, so that joints which the clips do not use differ.
constexpr double kMergingRangeShare = 0.05;

/// Joints along a bone that only twist, by their names: in the range of motion they do not bend.
bool onlyTwists(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return name.find("twist") != std::string::npos || name.find("roll") != std::string::npos;
}

rig::RangeOfMotion withTwistJoints(const Skeleton& skeleton, rig::RangeOfMotion range) {
    if (range.joints.empty()) range.joints.assign(skeleton.joints.size(), range.limits);
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j)
        if (onlyTwists(rig::jointName(skeleton, j))) range.joints[j].bend[0] = range.joints[j].bend[1] = 0;
    return range;
}

/// A third of the area of its triangles for each vertex, as a share of the surface, so that dense parts count no more.
std::vector<double> surfaceShares(const Mesh& mesh) {
    std::vector<double> share(mesh.vertexCount(), 0);
    double total = 0;
    for (const Triangle& t : mesh.triangles) {
        const Vec3d a(mesh.positions[t[0]]), b(mesh.positions[t[1]]), c(mesh.positions[t[2]]);
        const double area = length(cross(b - a, c - a)) / 2;
        for (const std::uint32_t v : t) share[v] += area / 3;
        total += area;
    }
    for (double& s : share) s = total > 0 ? s / total : 1 / double(share.size());
    return share;
}

class Merger {
public:
    Merger(const Character& character, const rig::RangeOfMotion& range, double fps)
        : character_(character),
          poses_(character, fps, kMostMergePoses, withTwistJoints(character.skeleton, range)),
          parents_(rig::jointParents(character.skeleton)),
          shares_(surfaceShares(character.mesh)),
          replaced_by_(parents_.size()),
          weights_(parents_.size()) {
        std::iota(replaced_by_.begin(), replaced_by_.end(), 0u);
        const SkinWeights& rows = character.weights;
        for (std::uint32_t v = 0; v < rows.vertexCount(); ++v)
            for (std::size_t i = 0; i < rows.influenceCount(v); ++i)
                weights_[rows.jointsOf(v)[i]][v] = double(rows.weightsOf(v)[i]);
        for (std::size_t p = 0; p < poses_.count(); ++p) bones_.push_back(poses_.pose(p));
        costs_.assign(parents_.size(), -1);
    }

    JointMerging run(std::size_t most) {
        std::vector<bool> alive = rig::jointsWithSkin(character_);
        JointMerging result;
        for (auto left = std::size_t(std::count(alive.begin(), alive.end(), true)); left > most;) {
            const std::int32_t joint = cheapest(alive);
            if (joint < 0)
                throw Error::badInput(
                    fmt::format("at least {} joints are needed: its root joints cannot be merged into others", left));
            const auto parent = std::uint32_t(parents_[std::size_t(joint)]);
            if (alive[parent]) --left;  // otherwise the parent gets skin instead
            alive[parent] = true;
            alive[std::size_t(joint)] = false;
            result.merged.push_back({rig::jointName(character_.skeleton, std::size_t(joint)),
                                     rig::jointName(character_.skeleton, parent),
                                     std::sqrt(costs_[std::size_t(joint)])});
            merge(std::uint32_t(joint), parent);
        }
        result.replaced_by = replaced_by_;
        return result;
    }

private:
    std::int32_t cheapest(const std::vector<bool>& alive) {
        std::int32_t best = -1;
        for (std::size_t j = 0; j < parents_.size(); ++j) {
            if (!alive[j] || parents_[j] < 0) continue;
            if (costs_[j] < 0) costs_[j] = cost(j);
            if (best < 0 || costs_[j] < costs_[std::size_t(best)]) best = std::int32_t(j);
        }
        return best;
    }

    /// The mean squared distance over surface and poses if the joint's vertices follow its parent instead:
    /// Σ_v a_v w² |(M_joint - M_parent) x_v|².
    double cost(std::size_t joint) const {
        const auto parent = std::size_t(parents_[joint]);
        std::array<std::array<double, 4>, 4> q[measure::kPoseParts] = {};  // Σ_poses DᵀD, D = M_joint - M_parent
        for (const measure::SkinPose& pose : bones_) {
            const Affine3d a(pose.bones[joint]), b(pose.bones[parent]);
            for (std::size_t r = 0; r < 3; ++r)
                for (std::size_t i = 0; i < 4; ++i)
                    for (std::size_t k = 0; k < 4; ++k)
                        q[pose.part][i][k] += (a.m[4 * i + r] - b.m[4 * i + r]) * (a.m[4 * k + r] - b.m[4 * k + r]);
        }
        double cost = 0;
        for (const auto& [v, weight] : weights_[joint]) {
            const Vec3f& p = character_.mesh.positions[v];
            const double x[4] = {p.x, p.y, p.z, 1};
            for (int part = 0; part < measure::kPoseParts; ++part) {
                const std::size_t count = poses_.count(measure::PoseSource(part));
                if (count == 0) continue;
                const double share =
                    part == measure::kRangePoses && poses_.count(measure::kClipPoses) > 0 ? kMergingRangeShare : 1;
                double squared = 0;
                for (std::size_t i = 0; i < 4; ++i)
                    for (std::size_t k = 0; k < 4; ++k) squared += x[i] * x[k] * q[part][i][k];
                cost += share * shares_[v] * weight * weight * std::max(squared, 0.0) / double(count);
            }
        }
        return cost;
    }

    void merge(std::uint32_t joint, std::uint32_t parent) {
        for (const auto& [v, weight] : weights_[joint]) weights_[parent][v] += weight;
        weights_[joint].clear();
        for (std::uint32_t& to : replaced_by_)
            if (to == joint) to = parent;
        for (std::size_t j = 0; j < parents_.size(); ++j) {
            if (parents_[j] != std::int32_t(joint)) continue;
            parents_[j] = std::int32_t(parent);
            costs_[j] = -1;
        }
        costs_[parent] = -1;
    }

    const Character& character_;
    measure::SkinPoses poses_;
    std::vector<measure::SkinPose> bones_;
    std::vector<std::int32_t> parents_;
    std::vector<double> shares_;
    std::vector<std::uint32_t> replaced_by_;
    std::vector<std::map<std::uint32_t, double>> weights_;  ///< per joint, its weight at each vertex
    std::vector<double> costs_;                             ///< per joint, below 0: not known
};

}  // namespace

JointMerging mergeJoints(const Character& character, const rig::RangeOfMotion& range, double fps, std::size_t most) {
    return Merger(character, range, fps).run(most);
}

std::shared_ptr<const DdmPayload> withReplacedJoints(const DdmPayload& payload,
                                                     const std::vector<std::uint32_t>& replaced_by) {
    // If two joints move alike, M Ω₁ + M Ω₂ = M (Ω₁ + Ω₂): their blocks add up.
    auto out = std::make_shared<DdmPayload>(payload);
    const DdmRows<float>& from = payload.rows;
    DdmRows<float>& to = out->rows;
    to = {};
    to.centers = from.centers;
    to.content = from.content;
    for (std::size_t v = 0; v < from.vertexCount(); ++v) {
        struct Sum {
            DdmBlock<float> block;
            float psi = 0;
        };
        std::map<std::uint32_t, Sum> sums;
        for (std::size_t e = from.offsets[v]; e < from.offsets[v + 1]; ++e) {
            Sum& sum = sums[replaced_by[from.joints[e]]];
            const DdmBlock<float>& b = from.blocks[e];
            DdmBlock<float>& s = sum.block;
            s = {s.xx + b.xx, s.xy + b.xy, s.xz + b.xz, s.yy + b.yy, s.yz + b.yz,
                 s.zz + b.zz, s.x + b.x,   s.y + b.y,   s.z + b.z,   s.w + b.w};
            sum.psi += from.psi[e];
        }
        std::vector<std::pair<std::uint32_t, Sum>> row(sums.begin(), sums.end());
        std::stable_sort(row.begin(), row.end(),
                         [](const auto& a, const auto& b) { return a.second.block.w > b.second.block.w; });
        for (const auto& [joint, sum] : row) {
            to.joints.push_back(joint);
            to.blocks.push_back(sum.block);
            to.psi.push_back(sum.psi);
        }
        to.endRow(to.joints.size());
    }
    out->bind = {};
    for (std::size_t v = 0; v < payload.bind.vertexCount(); ++v) {
        std::vector<std::uint32_t> joints;
        for (const std::uint32_t joint : payload.bind.jointsOf(v)) joints.push_back(replaced_by[joint]);
        appendVertex(out->bind, joints, payload.bind.weightsOf(v));
    }
    return out;
}

}  // namespace pelt::verbs
