// Bytes to rigs.
#include "ddm_rig.h"

#include <algorithm>
#include <cassert>

#include "runtime/pose_memory.h"
#include "runtime/rig_view.h"

namespace pelt::runtime {
namespace {

/// Whether the block has at most `count` vertices and its data about them is consistent.
bool areVertices(const DdmLanes& block, std::size_t count) noexcept {
    std::uint16_t lowest = block.vertices[0], highest = lowest;
    bool consecutive = true;
    for (std::size_t l = 0; l < kLanes; ++l) {
        lowest = std::min(lowest, block.vertices[l]);
        highest = std::max(highest, block.vertices[l]);
        consecutive = consecutive && block.vertices[l] == block.vertices[0] + l;
    }
    return highest < count && lowest == block.lowest && highest == block.highest &&
           (block.consecutive == 0 || (block.consecutive == 1 && consecutive));
}

/// The number of rows of a block before those of its entries.
std::size_t shapeRows(const DdmData& rig, DdmKind kind) noexcept {
    return hasCovariance(rig.form) && kind != DdmKind::followed ? 12 : 6;
}

bool isBlock(const DdmData& rig, std::size_t b, std::size_t window_size) noexcept {
    const DdmLanes& block = rig.blocks[b];
    const std::size_t entry_end = rig.blocks[b + 1].entry;
    if (block.entry > entry_end || entry_end > rig.entries.size()) return false;
    if (block.kind > DdmKind::flat || block.base >= rig.bases.size()) return false;
    const std::size_t rows = shapeRows(rig, block.kind) + (entry_end - block.entry) * entryRows(rig.form);
    return block.row <= rig.rows.size() && rows <= rig.rows.size() - block.row && areVertices(block, window_size);
}

bool areBlocks(const DdmData& rig) noexcept {
    if (rig.blocks.empty()) return false;
    const std::size_t windows = rig.vertex_count / kDdmWindow + (rig.vertex_count % kDdmWindow != 0);
    if (!areOffsets(rig.windows, windows, rig.blocks.size() - 1)) return false;
    for (std::size_t w = 0; w < windows; ++w)
        for (std::size_t b = rig.windows[w]; b < rig.windows[w + 1]; ++b)
            if (!isBlock(rig, b, std::min(kDdmWindow, rig.vertex_count - w * kDdmWindow))) return false;
    return true;
}

/// One more than the highest joint in use.
std::size_t jointsNamed(const DdmData& rig) noexcept {
    std::size_t end = 0;
    for (const std::uint32_t joint : rig.joints) end = std::max(end, joint + std::size_t(1));
    return end;
}

DdmPose::Data* layOut(const DdmRig& rig, PoseMemory& memory) noexcept {
    const DdmData data = dataOf<DdmData>(rig);
    const std::span<DdmPose::Data> pose = memory.take<DdmPose::Data>(1);
    const auto bases = memory.take<DdmBase>(data.bases.size());
    const auto differences = memory.take<DdmDifference>(data.pairs.size());
    const auto joints = memory.take<DdmJoint>(data.joints.size());
    if (pose.empty()) return nullptr;
    pose[0] = {rig.bytes().data(), data, bases, differences, joints, true};
    return pose.data();
}

}  // namespace

void DdmData::locate(const DdmHeader& header, RigArrays& arrays) noexcept {
    form = header.form;
    vertex_count = header.vertex_count;
    joint_count = header.joint_count;
    origin = {header.origin[0], header.origin[1], header.origin[2]};
    windows = arrays(header.windows);
    blocks = arrays(header.blocks);
    entries = arrays(header.entries);
    rows = arrays(header.rows);
    normals = arrays(header.normals);
    joints = arrays(header.joints);
    bases = arrays(header.bases);
    pairs = arrays(header.pairs);
}

bool DdmData::isSound() const noexcept {
    return form <= DdmForm::eddm && areBlocks(*this) &&
           (normals.empty() || normals.size() == 3 * (blocks.size() - 1)) && allBelow(entries, pairs.size()) &&
           jointsNamed(*this) == joint_count && allBelow(bases, joints.size()) &&
           std::all_of(pairs.begin(), pairs.end(),
                       [&](const DdmPair& p) { return p.base < bases.size() && p.joint < joints.size(); });
}

Checked<DdmRig> DdmRig::view(std::span<const std::byte> bytes) noexcept { return RigView::of<DdmRig, DdmData>(bytes); }

DdmForm DdmRig::form() const noexcept { return headerOf<DdmHeader>(bytes()).form; }
std::size_t DdmRig::vertexCount() const noexcept { return headerOf<DdmHeader>(bytes()).vertex_count; }
std::size_t DdmRig::jointCount() const noexcept { return headerOf<DdmHeader>(bytes()).joint_count; }
bool DdmRig::hasNormals() const noexcept { return headerOf<DdmHeader>(bytes()).normals.count != 0; }

std::size_t streamedBytes(const DdmRig& rig, bool normals) noexcept {
    const DdmData data = dataOf<DdmData>(rig);
    const bool has_normals = normals && !data.normals.empty();
    return data.rows.size_bytes() + (has_normals ? data.normals.size_bytes() : 0) + data.blocks.size_bytes() +
           data.entries.size_bytes() + data.vertex_count * sizeof(Vec3f) * (has_normals ? 2 : 1);
}

std::size_t DdmPose::bytes(const DdmRig& rig) noexcept {
    PoseMemory count;
    layOut(rig, count);
    return count.used();
}

DdmPose::Data* layOutPose(const DdmRig& rig, std::span<std::byte> memory) noexcept {
    assert(DdmPose::bytes(rig) <= memory.size());
    PoseMemory pieces(memory.data());
    return layOut(rig, pieces);
}

}  // namespace pelt::runtime
