#include <pelt/core/error.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <unordered_map>

#include "lbs_bases.h"
#include "lbs_layout.h"

namespace pelt::deform {
namespace {

constexpr std::size_t kLanes = InfluenceBlocks::kLanes;

/// Fills the blocks, the runs and the differences of a rig.
class Packer {
public:
    Packer(const InfluenceBlocks& blocks, LbsRig::Packed& rig)
        : blocks_(blocks), bases_(chooseBases(blocks)), rig_(rig) {}

    void pack() {
        rig_.vertex_count = blocks_.vertex_count;
        rig_.joint_count = blocks_.joint_count;
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
            InfluenceBlocks::Row row;
            bool reaches = false;
            for (std::size_t l = 0; l < kLanes; ++l)
                if (base.lanes >> l & 1) {
                    row.weight[l] = blocks_.rows[e].weight[l];
                    reaches |= row.weight[l] != 0;
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
    LbsRig::Packed& rig_;
    std::unordered_map<std::uint64_t, std::uint32_t> known_;  ///< differences by their joints
};

}  // namespace

LbsRig prepareLbs(const Mesh& rest, const SkinWeights& weights) {
    LbsRig::Packed packed;
    Packer(packInfluences(weights, rest.vertexCount()), packed).pack();
    packed.rest = packRest(rest);
    return {std::make_shared<const LbsRig::Packed>(std::move(packed))};
}

std::size_t streamedBytes(const LbsRig& rig, bool normals) {
    const LbsRig::Packed& packed = *rig.packed;
    const auto bytes = [](const auto& vector) { return vector.size() * sizeof vector[0]; };
    return bytes(packed.offsets) + bytes(packed.entries) + bytes(packed.rows) + bytes(packed.runs) +
           bytes(packed.bases) + packed.vertex_count * sizeof(Vec3f) * (normals ? 4 : 2);
}

std::size_t multiplyAdds(const LbsRig& rig) {
    const std::size_t blend = 12 * rig.packed->entries.size(), apply = 9 * (rig.packed->offsets.size() - 1);
    return InfluenceBlocks::kLanes * (blend + apply);
}

LbsPose::LbsPose(const LbsRig& rig) : data_(std::make_unique<Data>()) {
    data_->rig = rig.packed;
    data_->joints.resize(rig.packed->joint_count);
    data_->differences.resize(rig.packed->differences.size());
    set(std::vector<Affine3f>(rig.packed->joint_count));
}

LbsPose::~LbsPose() = default;
LbsPose::LbsPose(LbsPose&&) noexcept = default;
LbsPose& LbsPose::operator=(LbsPose&&) noexcept = default;

void LbsPose::set(std::span<const Affine3f> bones) noexcept {
    Data& pose = *data_;
    assert(bones.size() >= pose.joints.size());
    std::copy_n(bones.begin(), pose.joints.size(), pose.joints.begin());
    for (std::size_t d = 0; d < pose.differences.size(); ++d) {
        const auto [from, to] = pose.rig->differences[d];
        for (int i = 0; i < 16; ++i) pose.differences[d].m[i] = bones[to].m[i] - bones[from].m[i];
    }
}

}  // namespace pelt::deform
