// Adds morph targets to a rest shape.
#include <pelt/runtime/morphs.h>

#include <algorithm>
#include <cassert>

#include "rig_view.h"
#include "runtime/layout/morphs_layout.h"

namespace pelt::runtime {
namespace {

bool isTarget(const MorphsData& rig, const MorphRecord& target, const MorphRecord& next) noexcept {
    if (target.first > next.first || next.first > rig.vertices.size()) return false;
    if (target.has_normals > 1 || target.first_normal > rig.normal_offsets.size()) return false;
    const std::uint64_t count = next.first - target.first;
    if (target.has_normals && count > rig.normal_offsets.size() - target.first_normal) return false;
    const auto vertices = rig.vertices.subspan(target.first, count);
    return allBelow(vertices, rig.vertex_count) && std::is_sorted(vertices.begin(), vertices.end());
}

/// The vertices of `out` from `first` on, with those of the rest shape in them.
std::span<Vec3f> restIn(std::span<Vec3f> out, std::size_t out_first, std::span<const Vec3f> rest, std::size_t first,
                        std::size_t count) {
    if (out.empty() || rest.empty()) return {};
    const std::span<const Vec3f> from = rest.subspan(first, count);
    const std::span<Vec3f> to = out.subspan(first - out_first, count);
    std::copy(from.begin(), from.end(), to.begin());
    return to;
}

}  // namespace

void MorphsData::locate(const MorphsHeader& header, RigArrays& arrays) noexcept {
    positions = arrays(header.positions);
    vertex_count = positions.size();
    normals = arrays(header.normals);
    targets = arrays(header.targets);
    vertices = arrays(header.vertices);
    position_offsets = arrays(header.position_offsets);
    normal_offsets = arrays(header.normal_offsets);
    names = {arrays(header.names.offsets), arrays(header.names.text)};
}

bool MorphsData::isSound() const noexcept {
    if (targets.empty() || !names.isSound(targets.size() - 1)) return false;
    if (!normals.empty() && normals.size() != vertex_count) return false;
    if (position_offsets.size() != vertices.size()) return false;
    for (std::size_t t = 0; t + 1 < targets.size(); ++t)
        if (!isTarget(*this, targets[t], targets[t + 1])) return false;
    return true;
}

Checked<MorphRig> MorphRig::view(std::span<const std::byte> bytes) noexcept {
    return RigView::of<MorphRig, MorphsData>(bytes);
}

std::size_t MorphRig::vertexCount() const noexcept { return headerOf<MorphsHeader>(bytes()).positions.count; }
std::size_t MorphRig::targetCount() const noexcept { return headerOf<MorphsHeader>(bytes()).targets.count - 1; }
bool MorphRig::hasNormals() const noexcept { return headerOf<MorphsHeader>(bytes()).normals.count != 0; }
std::string_view MorphRig::targetName(std::size_t target) const noexcept {
    return dataOf<MorphsData>(*this).names[target];
}
float MorphRig::defaultWeight(std::size_t target) const noexcept {
    return dataOf<MorphsData>(*this).targets[target].default_weight;
}

void addOffsets(std::span<const std::uint32_t> vertices, std::span<const Vec3f> offsets, float weight,
                std::size_t first, std::span<Vec3f> out) noexcept {
    assert(vertices.size() == offsets.size());
    const auto begin = std::lower_bound(vertices.begin(), vertices.end(), first);
    for (auto i = std::size_t(begin - vertices.begin()); i < vertices.size() && vertices[i] - first < out.size(); ++i)
        out[vertices[i] - first] += offsets[i] * weight;
}

void morph(const MorphRig& rig, std::span<const float> weights, std::size_t first, std::size_t count,
           const Output& out) noexcept {
    const MorphsData data = dataOf<MorphsData>(rig);
    assert(weights.size() == data.targets.size() - 1 && isRange(data.vertex_count, {}, first, count, out));
    if (count == 0) return;
    const std::span<Vec3f> positions = restIn(out.positions, out.first, data.positions, first, count);
    const std::span<Vec3f> normals = restIn(out.normals, out.first, data.normals, first, count);
    bool turned = false;
    for (std::size_t t = 0; t < weights.size(); ++t) {
        if (weights[t] == 0) continue;
        const MorphRecord& target = data.targets[t];
        const std::size_t size = data.targets[t + 1].first - target.first;
        const auto vertices = data.vertices.subspan(target.first, size);
        addOffsets(vertices, data.position_offsets.subspan(target.first, size), weights[t], first, positions);
        if (normals.empty() || !target.has_normals) continue;
        turned = true;
        addOffsets(vertices, data.normal_offsets.subspan(target.first_normal, size), weights[t], first, normals);
    }
    if (turned)
        for (Vec3f& n : normals) n = normalized(n, Vec3f{0, 0, 1});
}

}  // namespace pelt::runtime
