// Bytes to rigs and rigs to poses.
#include "lbs_rig.h"

#include <algorithm>
#include <cassert>

#include "runtime/pose_memory.h"
#include "runtime/rig_view.h"

namespace pelt::runtime {
namespace {

/// Runs are consecutive from the first block to the last, and so are their bases; a run with several bases is one
/// block.
bool areRuns(const LbsData& rig, std::size_t blocks) noexcept {
    const std::span<const LbsRun> runs = rig.runs;
    if (runs.empty() || runs.front().block != 0 || runs.front().base != 0) return false;
    if (runs.back().block != blocks || runs.back().base != rig.bases.size()) return false;
    for (std::size_t r = 0; r + 1 < runs.size(); ++r) {
        if (runs[r].block >= runs[r + 1].block || runs[r].base >= runs[r + 1].base) return false;
        if (runs[r + 1].base - runs[r].base > 1 && runs[r + 1].block - runs[r].block != 1) return false;
    }
    return true;
}

bool areEntries(const LbsData& rig, std::size_t blocks) noexcept {
    if (rig.compact_entries.empty())
        return areOffsets(rig.offsets, blocks, rig.entries.size()) && rig.rows.size() == rig.entries.size() &&
               allBelow(rig.entries, rig.differences.size());
    if (!areOffsets(rig.offsets, blocks, rig.compact_entries.size())) return false;
    if (!areOffsets(rig.row_offsets, blocks, rig.rows.size())) return false;
    for (std::size_t block = 0; block < blocks; ++block)
        for (std::size_t e = rig.offsets[block]; e < rig.offsets[block + 1]; ++e)
            if (rig.compact_entries[e].difference >= rig.differences.size() ||
                rig.compact_entries[e].row >= rig.row_offsets[block + 1] - rig.row_offsets[block])
                return false;
    return true;
}

/// One more than the highest joint in use.
std::size_t jointsNamed(const LbsData& rig) noexcept {
    std::size_t end = 0;
    for (const LbsDifference& d : rig.differences)
        end = std::max<std::size_t>({end, d.from + std::size_t(1), d.to + std::size_t(1)});
    for (const LbsBase& b : rig.bases) end = std::max(end, b.joint + std::size_t(1));
    return end;
}

LbsPose::Data* layOut(const LbsRig& rig, PoseMemory& memory) noexcept {
    const LbsData data = dataOf<LbsData>(rig);
    const std::span<LbsPose::Data> pose = memory.take<LbsPose::Data>(1);
    const auto joints = memory.take<Affine3f>(data.joint_count);
    const auto differences = memory.take<Affine3f>(data.differences.size());
    if (pose.empty()) return nullptr;
    pose[0] = {rig.bytes().data(), data, joints, differences};
    return pose.data();
}

}  // namespace

void LbsData::locate(const LbsHeader& header, RigArrays& arrays) noexcept {
    vertex_count = header.vertex_count;
    joint_count = header.joint_count;
    differences = arrays(header.differences);
    offsets = arrays(header.offsets);
    entries = arrays(header.entries);
    rows = arrays(header.rows);
    compact_entries = arrays(header.compact_entries);
    row_offsets = arrays(header.row_offsets);
    compact_normals = arrays(header.compact_normals);
    runs = arrays(header.runs);
    bases = arrays(header.bases);
    rest = {vertex_count, arrays(header.positions), arrays(header.normals)};
}

bool LbsData::isSound() const noexcept {
    const std::size_t blocks = blocksOf(vertex_count);
    const bool compact = !compact_entries.empty();
    if (compact ? !rest.normals.empty() : !compact_normals.empty()) return false;
    const bool normals = compact_normals.empty() || compact_normals.size() == blocks;
    return normals && rest.isSound() && areEntries(*this, blocks) && areRuns(*this, blocks) &&
           jointsNamed(*this) == joint_count;
}

Checked<LbsRig> LbsRig::view(std::span<const std::byte> bytes) noexcept { return RigView::of<LbsRig, LbsData>(bytes); }

std::size_t LbsRig::vertexCount() const noexcept { return headerOf<LbsHeader>(bytes()).vertex_count; }
std::size_t LbsRig::jointCount() const noexcept { return headerOf<LbsHeader>(bytes()).joint_count; }
bool LbsRig::hasNormals() const noexcept {
    const auto& header = headerOf<LbsHeader>(bytes());
    return header.normals.count + header.compact_normals.count != 0;
}

std::size_t streamedBytes(const LbsRig& rig, bool normals) noexcept {
    const LbsData data = dataOf<LbsData>(rig);
    return data.offsets.size_bytes() + data.entries.size_bytes() + data.rows.size_bytes() +
           data.compact_entries.size_bytes() + data.row_offsets.size_bytes() + data.runs.size_bytes() +
           data.bases.size_bytes() + data.vertex_count * sizeof(Vec3f) * 2 +
           (normals
                ? data.vertex_count * sizeof(Vec3f) + data.compact_normals.size_bytes() + data.rest.normals.size_bytes()
                : 0);
}

std::size_t multiplyAdds(const LbsRig& rig) noexcept {
    const LbsData data = dataOf<LbsData>(rig);
    const std::size_t blend = 12 * data.offsets.back(), apply = 9 * (data.offsets.size() - 1);
    return kLanes * (blend + apply);
}

std::size_t LbsPose::bytes(const LbsRig& rig) noexcept {
    PoseMemory count;
    layOut(rig, count);
    return count.used();
}

LbsPose::LbsPose(const LbsRig& rig, std::span<std::byte> memory) noexcept {
    PoseMemory pieces(memory.data());
    data_ = layOut(rig, pieces);
    assert(pieces.used() <= memory.size());
    for (Affine3f& difference : data_->differences) difference = {Mat3f{{{}, {}, {}}}, {}};
}

void LbsPose::set(std::span<const Affine3f> bones) noexcept {
    assert(bones.size() >= data_->joints.size());
    std::copy_n(bones.begin(), data_->joints.size(), data_->joints.begin());
    subtractJoints(*data_);
}

}  // namespace pelt::runtime
