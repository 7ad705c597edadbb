#include <pelt/runtime/morphs.h>

#include <algorithm>
#include <cassert>

#include "../internal/rigs/morphs_layout.h"

namespace pelt::runtime {
namespace {

bool locate(std::span<const std::byte> bytes, MorphsData& rig) noexcept {
    const auto& header = headerOf<MorphsHeader>(bytes);
    RigArrays arrays(bytes);
    rig.positions = arrays(header.positions);
    rig.vertex_count = rig.positions.size();
    rig.normals = arrays(header.normals);
    rig.targets = arrays(header.targets);
    rig.vertices = arrays(header.vertices);
    rig.position_offsets = arrays(header.position_offsets);
    rig.normal_offsets = arrays(header.normal_offsets);
    rig.names = {arrays(header.names.offsets), arrays(header.names.text)};
    return arrays.sound();
}

bool isTarget(const MorphsData& rig, const MorphRecord& target, const MorphRecord& next) noexcept {
    if (target.first > next.first || next.first > rig.vertices.size()) return false;
    if (target.has_normals > 1 || target.first_normal > rig.normal_offsets.size()) return false;
    const std::uint64_t count = next.first - target.first;
    if (target.has_normals && count > rig.normal_offsets.size() - target.first_normal) return false;
    const auto vertices = rig.vertices.subspan(target.first, count);
    return allBelow(vertices, rig.vertex_count) && std::is_sorted(vertices.begin(), vertices.end());
}

bool isSound(const MorphsData& rig) noexcept {
    if (rig.targets.empty() || !rig.names.isSound(rig.targets.size() - 1)) return false;
    if (!rig.normals.empty() && rig.normals.size() != rig.vertex_count) return false;
    if (rig.position_offsets.size() != rig.vertices.size()) return false;
    for (std::size_t t = 0; t + 1 < rig.targets.size(); ++t)
        if (!isTarget(rig, rig.targets[t], rig.targets[t + 1])) return false;
    return true;
}

MorphsData dataOf(const MorphRig& rig) noexcept {
    MorphsData data;
    [[maybe_unused]] const bool sound = locate(rig.bytes(), data);
    assert(sound);
    return data;
}

void copyRange(std::span<const Vec3f> from, std::size_t first, std::size_t last, std::span<Vec3f> to) {
    std::copy(from.begin() + std::ptrdiff_t(first), from.begin() + std::ptrdiff_t(last),
              to.begin() + std::ptrdiff_t(first));
}

}  // namespace

Checked<MorphRig> MorphRig::view(std::span<const std::byte> bytes) noexcept {
    const RigError error = checkRigHeader(bytes, RigKind::morphs, sizeof(MorphsHeader));
    if (error != RigError::none) return error;
    bytes = bytes.first(headerOf<RigHeader>(bytes).size);
    MorphsData data;
    if (!locate(bytes, data) || !isSound(data)) return RigError::damaged;
    return MorphRig(bytes);
}

std::size_t MorphRig::vertexCount() const noexcept { return headerOf<MorphsHeader>(bytes()).positions.count; }
std::size_t MorphRig::targetCount() const noexcept { return headerOf<MorphsHeader>(bytes()).targets.count - 1; }
bool MorphRig::hasNormals() const noexcept { return headerOf<MorphsHeader>(bytes()).normals.count != 0; }
std::string_view MorphRig::targetName(std::size_t target) const noexcept { return dataOf(*this).names[target]; }
float MorphRig::defaultWeight(std::size_t target) const noexcept {
    return dataOf(*this).targets[target].default_weight;
}

void addOffsets(std::span<const std::uint32_t> vertices, std::span<const Vec3f> offsets, float weight,
                std::size_t first, std::size_t last, std::span<Vec3f> out) noexcept {
    assert(vertices.size() == offsets.size());
    const auto begin = std::lower_bound(vertices.begin(), vertices.end(), first);
    for (auto i = std::size_t(begin - vertices.begin()); i < vertices.size() && vertices[i] < last; ++i)
        out[vertices[i]] += offsets[i] * weight;
}

void morph(const MorphRig& rig, std::span<const float> weights, std::size_t first, std::size_t count,
           const Output& out) noexcept {
    const MorphsData data = dataOf(rig);
    const std::size_t last = first + count;
    const bool normals = !out.normals.empty() && !data.normals.empty();
    assert(weights.size() == data.targets.size() - 1 && out.positions.size() == data.vertex_count);
    assert(first <= data.vertex_count && count <= data.vertex_count - first);
    copyRange(data.positions, first, last, out.positions);
    if (normals) copyRange(data.normals, first, last, out.normals);
    bool turned = false;
    for (std::size_t t = 0; t < weights.size(); ++t) {
        if (weights[t] == 0) continue;
        const MorphRecord& target = data.targets[t];
        const std::size_t size = data.targets[t + 1].first - target.first;
        const auto vertices = data.vertices.subspan(target.first, size);
        addOffsets(vertices, data.position_offsets.subspan(target.first, size), weights[t], first, last, out.positions);
        if (!normals || !target.has_normals) continue;
        turned = true;
        addOffsets(vertices, data.normal_offsets.subspan(target.first_normal, size), weights[t], first, last,
                   out.normals);
    }
    if (turned)
        for (Vec3f& n : out.normals.subspan(first, count)) n = normalized(n, Vec3f{0, 0, 1});
}

}  // namespace pelt::runtime
