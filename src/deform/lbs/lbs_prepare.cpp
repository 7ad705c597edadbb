// Packs weights and rest shape for linear blend skinning, in full or compact form.
#include <pelt/core/error.h>
#include <pelt/deform/lbs.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "lbs_bases.h"
#include "runtime/layout/lbs_layout.h"
#include "runtime/layout/rig_writer.h"

namespace pelt::deform {
namespace {

using runtime::CompactNormals;
using runtime::LbsBase;
using runtime::LbsCompactEntry;
using runtime::LbsDifference;
using runtime::LbsRun;

/// The arrays of a rig under construction, as described in LbsData.
struct LbsArrays {
    std::vector<LbsDifference> differences;
    std::vector<std::uint32_t> offsets, entries;
    std::vector<LaneRow> rows;
    std::vector<LbsCompactEntry> compact_entries;
    std::vector<std::uint32_t> row_offsets;
    std::vector<LbsRun> runs;
    std::vector<LbsBase> bases;
};

/// Fills the blocks, the runs and the differences of a rig.
class LbsPacker {
public:
    LbsPacker(const InfluenceBlocks& blocks, LbsArrays& rig)
        : blocks_(blocks), bases_(chooseBases(blocks)), rig_(rig) {}

    void pack() {
        rig_.offsets.push_back(0);
        for (std::size_t block = 0; block < blocks_.blockCount(); ++block) {
            const std::vector<LbsBase> bases = basesOf(block);
            for (const LbsBase& base : bases) appendEntries(block, base);
            appendToRuns(block, bases);
            rig_.offsets.push_back(static_cast<std::uint32_t>(rig_.entries.size()));
        }
        if (rig_.entries.size() > std::numeric_limits<std::uint32_t>::max())
            throw Error::badInput("the skin has more influences than Pelt can pack: reduce influences per vertex");
        rig_.runs.push_back(
            {static_cast<std::uint32_t>(blocks_.blockCount()), static_cast<std::uint32_t>(rig_.bases.size())});
    }

private:
    /// Ascending by joint.
    std::vector<LbsBase> basesOf(std::size_t block) const {
        std::vector<LbsBase> bases;
        for (std::uint32_t e = blocks_.offsets[block]; e < blocks_.offsets[block + 1]; ++e) {
            std::uint32_t lanes = 0;
            for (std::size_t l = 0; l < kLanes && block * kLanes + l < bases_.size(); ++l)
                lanes |= std::uint32_t(bases_[block * kLanes + l] == blocks_.joints[e]) << l;
            if (lanes != 0) bases.push_back({blocks_.joints[e], lanes});
        }
        return bases;
    }

    void appendEntries(std::size_t block, const LbsBase& base) {
        for (std::uint32_t e = blocks_.offsets[block]; e < blocks_.offsets[block + 1]; ++e) {
            if (blocks_.joints[e] == base.joint) continue;
            LaneRow row;
            bool reaches = false;
            for (std::size_t l = 0; l < kLanes; ++l)
                if (base.lanes >> l & 1) {
                    row.lane[l] = blocks_.rows[e].lane[l];
                    reaches |= row.lane[l] != 0;
                }
            if (!reaches) continue;
            rig_.entries.push_back(differenceOf(base.joint, blocks_.joints[e]));
            rig_.rows.push_back(row);
        }
    }

    std::uint32_t differenceOf(std::uint32_t from, std::uint32_t to) {
        const auto [known, added] =
            known_.try_emplace(std::uint64_t(from) << 32 | to, static_cast<std::uint32_t>(rig_.differences.size()));
        if (added) rig_.differences.push_back({from, to});
        return known->second;
    }

    void appendToRuns(std::size_t block, const std::vector<LbsBase>& bases) {
        const bool continues = bases.size() == 1 && !rig_.runs.empty() && rig_.bases.back().joint == bases[0].joint &&
                               rig_.runs.back().base + 1 == rig_.bases.size();
        if (continues) return;
        rig_.runs.push_back({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(rig_.bases.size())});
        rig_.bases.insert(rig_.bases.end(), bases.begin(), bases.end());
    }

    const InfluenceBlocks& blocks_;
    std::vector<std::uint32_t> bases_;  ///< per vertex
    LbsArrays& rig_;
    std::unordered_map<std::uint64_t, std::uint32_t> known_;  ///< differences by their joints
};

/// Appends an entry to a block whose rows so far have weights in `used` lanes: to the first row where its lanes are
/// free.
void appendCompact(std::uint32_t difference, const LaneRow& row, std::vector<std::uint16_t>& used,
                   std::vector<LaneRow>& rows, std::vector<LbsCompactEntry>& entries) {
    std::uint16_t lanes = 0;
    for (std::size_t l = 0; l < kLanes; ++l) lanes |= std::uint16_t((row.lane[l] != 0) << l);
    const auto free = std::find_if(used.begin(), used.end(), [&](std::uint16_t u) { return (u & lanes) == 0; });
    const auto at = std::size_t(free - used.begin());
    if (free == used.end()) {
        used.push_back(0);
        rows.emplace_back();
    }
    used[at] |= lanes;
    LaneRow& shared = rows[rows.size() - used.size() + at];
    for (std::size_t l = 0; l < kLanes; ++l) shared.lane[l] += row.lane[l];
    entries.push_back({std::uint16_t(difference), lanes, std::uint16_t(at)});
}

/// Replaces entries and rows by compact ones, unless there are more differences than those can tell apart.
bool shareRows(LbsArrays& rig) {
    if (rig.differences.size() > std::size_t(1) << 16) return false;
    std::vector<LaneRow> rows;
    rig.row_offsets.push_back(0);
    for (std::size_t block = 0; block + 1 < rig.offsets.size(); ++block) {
        std::vector<std::uint16_t> used;
        for (std::uint32_t e = rig.offsets[block]; e < rig.offsets[block + 1]; ++e)
            appendCompact(rig.entries[e], rig.rows[e], used, rows, rig.compact_entries);
        rig.row_offsets.push_back(std::uint32_t(rows.size()));
    }
    rig.entries.clear();
    rig.rows = std::move(rows);
    return !rig.compact_entries.empty();
}

std::vector<CompactNormals> compactNormals(const std::vector<VectorRows>& normals) {
    std::vector<CompactNormals> compact(normals.size());
    for (std::size_t b = 0; b < normals.size(); ++b)
        for (std::size_t l = 0; l < kLanes; ++l) {
            const Vec3f n = normalized(Vec3f{normals[b].x[l], normals[b].y[l], normals[b].z[l]}, Vec3f{});
            const auto rounded = [](float x) { return std::int16_t(std::isfinite(x) ? std::lround(x * 32767) : 0); };
            compact[b].x[l] = rounded(n.x);
            compact[b].y[l] = rounded(n.y);
            compact[b].z[l] = rounded(n.z);
        }
    return compact;
}

}  // namespace

LbsRig prepareLbs(const Mesh& rest, const SkinWeights& weights, LbsForm form, WeightSigns signs) {
    const InfluenceBlocks blocks = packInfluences(weights, rest.vertexCount(), signs);
    LbsArrays arrays;
    LbsPacker(blocks, arrays).pack();
    RestMesh shape = packRest(rest);
    std::vector<CompactNormals> normals;
    if (form == LbsForm::compact && shareRows(arrays)) {
        normals = compactNormals(shape.normals);
        shape.normals.clear();
    }

    runtime::LbsHeader header;
    header.vertex_count = blocks.vertex_count;
    header.joint_count = blocks.joint_count;
    runtime::RigWriter<runtime::LbsHeader> writer;
    writer.add(header.differences, arrays.differences);
    writer.add(header.offsets, arrays.offsets);
    writer.add(header.entries, arrays.entries);
    writer.add(header.rows, arrays.rows);
    writer.add(header.compact_entries, arrays.compact_entries);
    writer.add(header.row_offsets, arrays.row_offsets);
    writer.add(header.runs, arrays.runs);
    writer.add(header.bases, arrays.bases);
    writer.add(header.positions, shape.positions);
    writer.add(header.normals, shape.normals);
    writer.add(header.compact_normals, normals);
    return LbsRig(writer.finish(header, runtime::RigKind::lbs));
}

}  // namespace pelt::deform
