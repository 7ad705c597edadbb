#include <pelt/core/error.h>

#include <algorithm>
#include <string>
#include <unordered_set>

#include "dqs_layout.h"

namespace pelt::deform {
namespace {

/// The joint whose hemisphere counts.
std::uint32_t heaviestJoint(const SkinWeights& weights, std::size_t vertex) {
    return weights.jointsOf(vertex)[heaviestInfluence(weights, vertex)];
}

std::vector<std::uint16_t> packPivots(const SkinWeights& weights, const InfluenceBlocks& blocks) {
    static_assert(InfluenceBlocks::kLanes <= 16, "one bit a lane");
    std::vector<std::uint16_t> pivots(blocks.joints.size(), 0);
    for (std::size_t v = 0; v < blocks.vertex_count; ++v) {
        const std::size_t block = v / InfluenceBlocks::kLanes, lane = v % InfluenceBlocks::kLanes;
        const auto first = blocks.joints.begin() + blocks.offsets[block];
        const auto last = blocks.joints.begin() + blocks.offsets[block + 1];
        const auto entry = std::lower_bound(first, last, heaviestJoint(weights, v)) - blocks.joints.begin();
        pivots[entry] = static_cast<std::uint16_t>(pivots[entry] | 1u << lane);
    }
    return pivots;
}

std::vector<JointPair> blendedPairs(const SkinWeights& weights) {
    std::unordered_set<std::uint64_t> seen;
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        const std::uint32_t pivot = heaviestJoint(weights, v);
        for (const std::uint32_t joint : weights.jointsOf(v))
            if (joint != pivot) seen.insert(std::uint64_t(pivot) << 32 | joint);
    }
    std::vector<std::uint64_t> keys(seen.begin(), seen.end());
    std::sort(keys.begin(), keys.end());
    std::vector<JointPair> pairs;
    for (const std::uint64_t key : keys) pairs.push_back({std::uint32_t(key >> 32), std::uint32_t(key)});
    return pairs;
}

/// A spanning forest of the graph that the pairs make, from each component's lowest joint outwards.
std::vector<JointPair> spanningForest(const std::vector<JointPair>& pairs, std::size_t joint_count) {
    std::vector<std::vector<std::uint32_t>> neighbours(joint_count);
    for (const JointPair& pair : pairs) {
        neighbours[pair.first].push_back(pair.second);
        neighbours[pair.second].push_back(pair.first);
    }
    std::vector<bool> reached(joint_count, false);
    std::vector<JointPair> links;
    for (std::uint32_t root = 0; root < joint_count; ++root) {
        if (reached[root]) continue;
        reached[root] = true;
        std::vector<std::uint32_t> queue{root};
        for (std::size_t i = 0; i < queue.size(); ++i)
            for (const std::uint32_t joint : neighbours[queue[i]]) {
                if (reached[joint]) continue;
                reached[joint] = true;
                links.push_back({queue[i], joint});
                queue.push_back(joint);
            }
    }
    return links;
}

Vec3f middle(const std::vector<Vec3f>& positions) {
    if (positions.empty()) return {};
    Vec3f low = positions[0], high = positions[0];
    for (const Vec3f& p : positions)
        for (int i = 0; i < 3; ++i) {
            low[i] = std::min(low[i], p[i]);
            high[i] = std::max(high[i], p[i]);
        }
    const Vec3f centre = low * 0.5f + high * 0.5f;
    return isFinite(centre) ? centre : Vec3f{};
}

}  // namespace

DqsRig prepareDqs(const Mesh& rest, const SkinWeights& weights, std::span<const Vec3d> joint_positions) {
    DqsRig::Packed packed;
    packed.blocks = packInfluences(weights, rest.vertexCount());
    if (joint_positions.size() < packed.blocks.joint_count)
        throw Error::badInput("the skin weights name joint " + std::to_string(packed.blocks.joint_count - 1) +
                              ", the skeleton has " + std::to_string(joint_positions.size()) + " joints");
    packed.pivots = packPivots(weights, packed.blocks);
    packed.blended = blendedPairs(weights);
    packed.links = spanningForest(packed.blended, packed.blocks.joint_count);
    packed.rest = packRest(rest);
    packed.centres.assign(joint_positions.begin(), joint_positions.begin() + packed.blocks.joint_count);
    packed.origin = middle(rest.positions);
    return {std::make_shared<const DqsRig::Packed>(std::move(packed))};
}

std::size_t streamedBytes(const DqsRig& rig, bool normals) {
    const InfluenceBlocks& blocks = rig.packed->blocks;
    return blocks.bytes() + blocks.vertex_count * sizeof(Vec3f) * (normals ? 4 : 2);
}

}  // namespace pelt::deform
