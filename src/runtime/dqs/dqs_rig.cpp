// Bytes to rigs and rigs to poses.
#include "dqs_rig.h"

#include <algorithm>
#include <cassert>

#include "../pose_memory.h"

namespace pelt::runtime {
namespace {

/// The arrays of a rig whose header was checked; false if they are not inside the rig.
bool locate(std::span<const std::byte> bytes, DqsData& rig) noexcept {
    const auto& header = headerOf<DqsHeader>(bytes);
    RigArrays arrays(bytes);
    rig.vertex_count = header.vertex_count;
    rig.joint_count = header.joint_count;
    rig.origin = {header.origin[0], header.origin[1], header.origin[2]};
    rig.offsets = arrays(header.offsets);
    rig.joints = arrays(header.joints);
    rig.rows = arrays(header.rows);
    rig.blended = arrays(header.blended);
    rig.links = arrays(header.links);
    rig.meeting_offsets = arrays(header.meeting_offsets);
    rig.meetings = arrays(header.meetings);
    rig.centers = arrays(header.centers);
    rig.rest = {rig.vertex_count, arrays(header.positions), arrays(header.normals)};
    return arrays.sound();
}

bool isSound(const DqsData& rig) noexcept {
    const std::size_t blocks = blocksOf(rig.vertex_count);
    const auto arePairs = [&](std::span<const JointPair> pairs) {
        return std::all_of(pairs.begin(), pairs.end(),
                           [&](const JointPair& p) { return p.first < rig.joint_count && p.second < rig.joint_count; });
    };
    return isSound(rig.rest) && areOffsets(rig.offsets, blocks, rig.joints.size()) &&
           rig.rows.size() == rig.joints.size() && allBelow(rig.joints, rig.joint_count) &&
           rig.centers.size() == rig.joint_count && arePairs(rig.blended) && arePairs(rig.links) &&
           areOffsets(rig.meeting_offsets, blocks, rig.meetings.size()) &&
           std::all_of(rig.meetings.begin(), rig.meetings.end(),
                       [&](const Meeting& m) { return m.pair < rig.blended.size(); });
}

DqsData dataOf(const DqsRig& rig) noexcept {
    DqsData data;
    [[maybe_unused]] const bool sound = locate(rig.bytes(), data);
    assert(sound);
    return data;
}

DqsPose::Data* layOut(const DqsRig& rig, PoseMemory& memory) noexcept {
    const DqsData data = dataOf(rig);
    const std::span<DqsPose::Data> pose = memory.take<DqsPose::Data>(1);
    const auto rigid = memory.take<RigidJoint>(data.joint_count);
    const auto stretch = memory.take<StretchJoint>(data.joint_count);
    const auto opposed = memory.take<std::uint8_t>(data.blended.size());
    if (pose.empty()) return nullptr;
    pose[0] = {rig.bytes().data(), data, rigid, stretch, opposed, {}, false, true, false};
    return pose.data();
}

}  // namespace

Checked<DqsRig> DqsRig::view(std::span<const std::byte> bytes) noexcept {
    const RigError error = checkRigHeader(bytes, RigKind::dqs, sizeof(DqsHeader));
    if (error != RigError::none) return error;
    bytes = bytes.first(headerOf<RigHeader>(bytes).size);
    DqsData data;
    if (!locate(bytes, data) || !isSound(data)) return RigError::damaged;
    return DqsRig(bytes);
}

std::size_t DqsRig::vertexCount() const noexcept { return headerOf<DqsHeader>(bytes()).vertex_count; }
std::size_t DqsRig::jointCount() const noexcept { return headerOf<DqsHeader>(bytes()).joint_count; }
bool DqsRig::hasNormals() const noexcept { return headerOf<DqsHeader>(bytes()).normals.count != 0; }

std::size_t streamedBytes(const DqsRig& rig, bool normals) noexcept {
    const DqsData data = dataOf(rig);
    return data.offsets.size_bytes() + data.joints.size_bytes() + data.rows.size_bytes() +
           data.vertex_count * sizeof(Vec3f) * (normals ? 4 : 2);
}

std::size_t DqsPose::bytes(const DqsRig& rig) noexcept {
    PoseMemory count;
    layOut(rig, count);
    return count.used();
}

DqsPose::DqsPose(const DqsRig& rig, std::span<std::byte> memory) noexcept {
    PoseMemory pieces(memory.data());
    data_ = layOut(rig, pieces);
    assert(pieces.used() <= memory.size());
}

}  // namespace pelt::runtime
