// Bytes to rigs and rigs to poses.
#include "dqs_rig.h"

#include <algorithm>
#include <cassert>

#include "runtime/pose_memory.h"
#include "runtime/rig_view.h"

namespace pelt::runtime {
namespace {

DqsPose::Data* layOut(const DqsRig& rig, PoseMemory& memory) noexcept {
    const DqsData data = dataOf<DqsData>(rig);
    const std::span<DqsPose::Data> pose = memory.take<DqsPose::Data>(1);
    const auto rigid = memory.take<RigidJoint>(data.joint_count);
    const auto stretch = memory.take<StretchJoint>(data.joint_count);
    const auto opposed = memory.take<std::uint8_t>(data.blended.size());
    if (pose.empty()) return nullptr;
    pose[0] = {rig.bytes().data(), data, rigid, stretch, opposed, {}, false, true, false};
    return pose.data();
}

}  // namespace

void DqsData::locate(const DqsHeader& header, RigArrays& arrays) noexcept {
    vertex_count = header.vertex_count;
    joint_count = header.joint_count;
    origin = {header.origin[0], header.origin[1], header.origin[2]};
    offsets = arrays(header.offsets);
    joints = arrays(header.joints);
    rows = arrays(header.rows);
    blended = arrays(header.blended);
    links = arrays(header.links);
    meeting_offsets = arrays(header.meeting_offsets);
    meetings = arrays(header.meetings);
    centers = arrays(header.centers);
    rest = {vertex_count, arrays(header.positions), arrays(header.normals)};
}

bool DqsData::isSound() const noexcept {
    const std::size_t blocks = blocksOf(vertex_count);
    const auto arePairs = [&](std::span<const JointPair> pairs) {
        return std::all_of(pairs.begin(), pairs.end(),
                           [&](const JointPair& p) { return p.first < joint_count && p.second < joint_count; });
    };
    return rest.isSound() && areOffsets(offsets, blocks, joints.size()) && rows.size() == joints.size() &&
           allBelow(joints, joint_count) && centers.size() == joint_count && arePairs(blended) && arePairs(links) &&
           areOffsets(meeting_offsets, blocks, meetings.size()) &&
           std::all_of(meetings.begin(), meetings.end(), [&](const Meeting& m) { return m.pair < blended.size(); });
}

Checked<DqsRig> DqsRig::view(std::span<const std::byte> bytes) noexcept { return RigView::of<DqsRig, DqsData>(bytes); }

std::size_t DqsRig::vertexCount() const noexcept { return headerOf<DqsHeader>(bytes()).vertex_count; }
std::size_t DqsRig::jointCount() const noexcept { return headerOf<DqsHeader>(bytes()).joint_count; }
bool DqsRig::hasNormals() const noexcept { return headerOf<DqsHeader>(bytes()).normals.count != 0; }

std::size_t streamedBytes(const DqsRig& rig, bool normals) noexcept {
    const DqsData data = dataOf<DqsData>(rig);
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
