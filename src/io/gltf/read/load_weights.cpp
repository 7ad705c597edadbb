// Loads the weights of a primitive as rows that sum to 1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/gltf/mend/mend.h"
#include "load.h"

namespace pelt::io::gltf {
namespace {

bool heavier(const WeightEntry& a, const WeightEntry& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.slot < b.slot;
}

/// Appends a row: repeated joints merged, heaviest first, divided by the sum. A sum that is 1 up to rounding is not
/// changed, so that files written by Pelt are read back bit by bit.
double appendRow(std::vector<WeightEntry>& row, SkinWeights& out) {
    std::sort(row.begin(), row.end(), [](const WeightEntry& a, const WeightEntry& b) { return a.slot < b.slot; });
    double sum = 0;
    std::size_t kept = 0;
    for (const WeightEntry& entry : row) {
        sum += entry.weight;
        if (kept > 0 && row[kept - 1].slot == entry.slot)
            row[kept - 1].weight += entry.weight;
        else
            row[kept++] = entry;
    }
    row.resize(kept);
    if (std::abs(sum - 1) > 1e-7 * static_cast<double>(kept))
        for (WeightEntry& entry : row) entry.weight = static_cast<float>(entry.weight / sum);
    std::sort(row.begin(), row.end(), heavier);
    for (const WeightEntry& entry : row) {
        if (!(entry.weight > 0)) continue;
        out.joints.push_back(entry.slot);
        out.weights.push_back(entry.weight);
    }
    out.offsets.push_back(static_cast<std::uint32_t>(out.joints.size()));
    return sum;
}

}  // namespace

void WeightLoader::readSets(PrimitiveReader& primitive) {
    joints_.clear();
    weights_.clear();
    loose_sum_ = 1e-5;
    loose_ = false;
    for (std::size_t k = 0;; ++k) {
        const std::string j = fmt::format("JOINTS_{}", k), w = fmt::format("WEIGHTS_{}", k);
        if (!primitive.has(j) && !primitive.has(w)) break;
        if (!primitive.has(j) || !primitive.has(w)) {
            ++lone_sets_;
            continue;
        }
        joints_.push_back(primitive.joints(j));
        weights_.push_back(primitive.floats(w, "VEC4"));
        if (primitive.info(w).normalized) loose_sum_ = 0.01;  // bytes are rounded
    }
}

bool WeightLoader::append(PrimitiveReader& primitive, const std::vector<std::uint32_t>& slots, SkinWeights& out) {
    const std::size_t count = primitive.vertexCount(), lone_before = lone_sets_;
    beyond_here_ = 0;
    readSets(primitive);
    any_ |= !joints_.empty() && count > 0;
    bool mended = lone_sets_ > lone_before;
    for (std::size_t v = 0; v < count; ++v) mended |= appendVertexRow(v, slots, out);
    if (2 * beyond_here_ > count)
        primitive.json().fail(
            fmt::format("most of its vertices use joints that the skin does not have (it has {}); re-export the file",
                        slots.size()));
    return mended;
}

bool WeightLoader::appendVertexRow(std::size_t v, const std::vector<std::uint32_t>& slots, SkinWeights& out) {
    std::vector<WeightEntry>& row = row_;
    row.clear();
    bool negative = false, not_finite = false, beyond = false;
    for (std::size_t i = 0; i < joints_.size() * 4; ++i) {
        const float weight = weights_[i / 4][v * 4 + i % 4];
        const std::uint32_t joint = joints_[i / 4][v * 4 + i % 4];
        negative |= weight < 0;
        not_finite |= !std::isfinite(weight);
        if (!(weight > 0) || !std::isfinite(weight)) continue;
        beyond |= joint >= slots.size();
        if (joint < slots.size()) row.push_back({slots[joint], weight});
    }
    beyond_here_ += beyond;
    if (row.empty()) {
        lost_.push_back(static_cast<std::uint32_t>(out.vertexCount()));
        out.offsets.push_back(static_cast<std::uint32_t>(out.joints.size()));
        return true;
    }
    negative_ += negative;
    not_finite_ += not_finite;
    beyond_ += beyond;
    const double sum = appendRow(row, out);
    if (!beyond && !not_finite && std::abs(sum - 1) > 0.01) {
        ++off_;
        if (std::abs(sum - 1) > std::abs(worst_ - 1)) worst_ = static_cast<float>(sum);
    }
    // Viewers that do not normalize would move the vertex toward the origin or away from it.
    loose_ |= std::abs(sum - 1) > loose_sum_;
    return negative || not_finite || beyond;
}

void WeightLoader::finish(const Loading& loading, const Mesh& mesh, SkinWeights& weights,
                          std::vector<std::string>& warnings) {
    const bool skinned = !lost_.empty() || !weights.empty();
    if (!any_ || weights.empty()) {
        if (skinned) warnings.push_back("the skin has joints but no vertex has weights");
        weights = {};
        return;
    }
    const auto warn = [&](std::size_t count, const char* one, const char* many) {
        if (count > 0) warnings.push_back(count == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", count, many));
    };
    if (off_ > 0)
        warnings.push_back(
            fmt::format("{} vertices had weights that do not sum to 1 (the worst sum is {:.4g}); they were normalized",
                        off_, worst_));
    warn(lone_sets_, "set of JOINTS or WEIGHTS had no counterpart; it was left out",
         "sets of JOINTS or WEIGHTS had no counterpart; they were left out");
    warn(negative_, "vertex had negative weights; they were set to 0",
         "vertices had negative weights; they were set to 0");
    warn(not_finite_, "vertex had weights that are not finite; they were set to 0",
         "vertices had weights that are not finite; they were set to 0");
    warn(beyond_, "vertex had weights on joints that the skin does not have; they were left out",
         "vertices had weights on joints that the skin does not have; they were left out");
    warn(lost_.size(), "vertex had no valid weight; it follows its neighbors",
         "vertices had no valid weight; they follow their neighbors");
    if (lost_.empty()) return;
    std::vector<WeightedRange> ranges;
    for (const MeshPart& part : mesh.parts) {
        const std::size_t skin = *loading.source->instances[part.instance].skin;
        ranges.push_back({part.first_vertex, part.vertex_count, part.instance, static_cast<std::uint32_t>(skin),
                          loading.source->skin_slots[skin].front()});
    }
    weights = mendRows(mesh, weights, lost_, ranges);
}

}  // namespace pelt::io::gltf
