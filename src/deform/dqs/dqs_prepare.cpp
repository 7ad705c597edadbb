// Packs weights, joints and rest shape for dual quaternion skinning.
#include <pelt/core/error.h>
#include <pelt/deform/dqs.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>

#include "deform/influence_blocks.h"
#include "runtime/layout/dqs_layout.h"
#include "runtime/layout/rig_writer.h"

namespace pelt::deform {
namespace {

using runtime::JointPair;
using runtime::Meeting;

/// The arrays of a rig under construction, as described in DqsData.
struct DqsArrays {
    InfluenceBlocks blocks;
    std::vector<JointPair> blended;
    std::vector<std::uint32_t> meeting_offsets;
    std::vector<Meeting> meetings;
};

/// The joint that determines the hemisphere.
std::uint32_t heaviestJoint(const SkinWeights& weights, std::size_t vertex) {
    return weights.jointsOf(vertex)[heaviestInfluence(weights, vertex)];
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

/// Fills `meetings` from blocks and pairs of blended joints.
void findMeetings(const SkinWeights& weights, DqsArrays& rig) {
    const InfluenceBlocks& blocks = rig.blocks;
    const auto pairOf = [&](std::uint32_t first, std::uint32_t second) {
        const auto before = [](const JointPair& a, const JointPair& b) {
            return a.first != b.first ? a.first < b.first : a.second < b.second;
        };
        const auto pair = std::lower_bound(rig.blended.begin(), rig.blended.end(), JointPair{first, second}, before);
        return static_cast<std::uint32_t>(pair - rig.blended.begin());
    };
    rig.meeting_offsets.push_back(0);
    for (std::size_t block = 0; block < blocks.blockCount(); ++block) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> lanes_of;  // by entry and pair
        const auto first = blocks.joints.begin() + blocks.offsets[block];
        const auto last = blocks.joints.begin() + blocks.offsets[block + 1];
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const std::size_t v = block * kLanes + lane;
            if (v == blocks.vertex_count) break;
            const std::uint32_t pivot = heaviestJoint(weights, v);
            for (const std::uint32_t joint : weights.jointsOf(v)) {
                const auto entry = std::lower_bound(first, last, joint);
                if (joint == pivot || entry == last || *entry != joint) continue;  // weights of 0 have no entry
                lanes_of[{std::uint32_t(entry - blocks.joints.begin()), pairOf(pivot, joint)}] |= 1u << lane;
            }
        }
        for (const auto& [key, lanes] : lanes_of) rig.meetings.push_back({key.second, key.first, lanes});
        rig.meeting_offsets.push_back(static_cast<std::uint32_t>(rig.meetings.size()));
    }
}

/// A spanning forest of the graph of the pairs, starting at the lowest joint of each component.
std::vector<JointPair> spanningForest(const std::vector<JointPair>& pairs, std::size_t joint_count) {
    std::vector<std::vector<std::uint32_t>> neighbors(joint_count);
    for (const JointPair& pair : pairs) {
        neighbors[pair.first].push_back(pair.second);
        neighbors[pair.second].push_back(pair.first);
    }
    std::vector<bool> reached(joint_count, false);
    std::vector<JointPair> links;
    for (std::uint32_t root = 0; root < joint_count; ++root) {
        if (reached[root]) continue;
        reached[root] = true;
        std::vector<std::uint32_t> queue{root};
        for (std::size_t i = 0; i < queue.size(); ++i)
            for (const std::uint32_t joint : neighbors[queue[i]]) {
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
    const Vec3f center = low * 0.5f + high * 0.5f;
    return isFinite(center) ? center : Vec3f{};
}

}  // namespace

DqsRig prepareDqs(const Mesh& rest, const SkinWeights& weights, std::span<const Vec3d> joint_positions) {
    DqsArrays arrays;
    arrays.blocks = packInfluences(weights, rest.vertexCount());
    const std::size_t joints = arrays.blocks.joint_count;
    if (joint_positions.size() < joints)
        throw Error::badInput("the skin weights use joint " + std::to_string(joints - 1) + ", the skeleton has " +
                              std::to_string(joint_positions.size()) + " joints");
    arrays.blended = blendedPairs(weights);
    findMeetings(weights, arrays);
    const std::vector<JointPair> links = spanningForest(arrays.blended, joints);
    const RestMesh shape = packRest(rest);
    const Vec3f origin = middle(rest.positions);

    runtime::DqsHeader header;
    header.vertex_count = arrays.blocks.vertex_count;
    header.joint_count = joints;
    for (int i = 0; i < 3; ++i) header.origin[i] = origin[i];
    runtime::RigWriter<runtime::DqsHeader> writer;
    writer.add(header.offsets, arrays.blocks.offsets);
    writer.add(header.joints, arrays.blocks.joints);
    writer.add(header.rows, arrays.blocks.rows);
    writer.add(header.blended, arrays.blended);
    writer.add(header.links, links);
    writer.add(header.meeting_offsets, arrays.meeting_offsets);
    writer.add(header.meetings, arrays.meetings);
    writer.add(header.centers, joint_positions.first(joints));
    writer.add(header.positions, shape.positions);
    writer.add(header.normals, shape.normals);
    return DqsRig(writer.finish(header, runtime::RigKind::dqs));
}

}  // namespace pelt::deform
