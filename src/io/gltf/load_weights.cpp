#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gltf/load.h"

namespace pelt::io::gltf {
namespace {

struct Entry {
    std::uint32_t slot;
    float weight;
};

bool heavier(const Entry& a, const Entry& b) { return a.weight != b.weight ? a.weight > b.weight : a.slot < b.slot; }

/// Appends a row: repeated joints merged, heaviest first, divided by the sum. A sum that is 1 to rounding is left
/// alone, so that what Pelt wrote comes back bit by bit.
double appendRow(std::vector<Entry>& row, SkinWeights& out) {
    std::sort(row.begin(), row.end(), [](const Entry& a, const Entry& b) { return a.slot < b.slot; });
    double sum = 0;
    std::size_t kept = 0;
    for (const Entry& entry : row) {
        sum += entry.weight;
        if (kept > 0 && row[kept - 1].slot == entry.slot)
            row[kept - 1].weight += entry.weight;
        else
            row[kept++] = entry;
    }
    row.resize(kept);
    if (std::abs(sum - 1) > 1e-7 * static_cast<double>(kept))
        for (Entry& entry : row) entry.weight = static_cast<float>(entry.weight / sum);
    std::sort(row.begin(), row.end(), heavier);
    for (const Entry& entry : row) {
        if (!(entry.weight > 0)) continue;
        out.joints.push_back(entry.slot);
        out.weights.push_back(entry.weight);
    }
    out.offsets.push_back(static_cast<std::uint32_t>(out.joints.size()));
    return sum;
}

}  // namespace

void WeightLoader::append(PrimitiveReader& primitive, const std::vector<std::uint32_t>& slots, SkinWeights& out) {
    const std::size_t count = primitive.vertexCount();
    std::vector<std::vector<std::uint32_t>> joints;
    std::vector<std::vector<float>> weights;
    for (std::size_t k = 0;; ++k) {
        const std::string j = fmt::format("JOINTS_{}", k), w = fmt::format("WEIGHTS_{}", k);
        if (!primitive.has(j) && !primitive.has(w)) break;
        if (!primitive.has(j) || !primitive.has(w))
            primitive.json().fail(fmt::format("{} and {} must come together; re-export the file", j, w));
        joints.push_back(primitive.integers(j, "VEC4"));
        weights.push_back(primitive.floats(w, "VEC4"));
        requireFinite(primitive.json().at("attributes").at(w.c_str()), weights.back(), 4, "vertex");
    }
    any_ |= !joints.empty() && count > 0;
    std::vector<Entry> row;
    for (std::size_t v = 0; v < count; ++v) {
        row.clear();
        bool negative = false;
        for (std::size_t i = 0; i < joints.size() * 4; ++i) {
            const float weight = weights[i / 4][v * 4 + i % 4];
            negative |= weight < 0;
            if (!(weight > 0)) continue;
            const std::uint32_t joint = joints[i / 4][v * 4 + i % 4];
            if (joint >= slots.size())
                primitive.json().fail(fmt::format("vertex {} follows joint {}, but the skin has {}; re-export the file",
                                                  v, joint, slots.size()));
            row.push_back({slots[joint], weight});
        }
        negative_ += negative;
        const bool none = row.empty();
        if (none) row.push_back({slots.front(), 1});
        none_ += none;
        const double sum = appendRow(row, out);
        if (std::abs(sum - 1) <= 0.01) continue;
        ++off_;
        if (std::abs(sum - 1) > std::abs(worst_ - 1)) worst_ = static_cast<float>(sum);
    }
}

void WeightLoader::finish(SkinWeights& weights, std::vector<std::string>& warnings) const {
    if (!any_) {
        if (!weights.empty()) warnings.push_back("the skin has joints but no vertex has weights");
        weights = {};
        return;
    }
    if (off_ > 0)
        warnings.push_back(fmt::format("{} vertices had weights that do not sum to 1 (the worst to {:.4g}); normalised",
                                       off_, worst_));
    if (negative_ > 0) warnings.push_back(fmt::format("{} vertices had negative weights; taken as 0", negative_));
    if (none_ > 0)
        warnings.push_back(fmt::format("{} vertices had no weight; they follow the first joint of their skin", none_));
}

}  // namespace pelt::io::gltf
