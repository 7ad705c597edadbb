// Appends and shortens rows of sparse weights.
#include <pelt/core/skin_weights.h>

#include <algorithm>

namespace pelt {
namespace {

struct Entry {
    std::uint32_t joint;
    float weight;
};

bool heavier(const Entry& a, const Entry& b) { return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint; }

}  // namespace

std::size_t maxInfluences(const SkinWeights& weights) {
    std::size_t most = 0;
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) most = std::max(most, weights.influenceCount(v));
    return most;
}

float appendVertex(SkinWeights& weights, std::span<const std::uint32_t> joints, std::span<const float> values) {
    std::vector<Entry> entries;
    entries.reserve(joints.size());
    double sum = 0;
    for (std::size_t i = 0; i < joints.size(); ++i) {
        if (!(values[i] > 0)) continue;
        sum += values[i];
        const auto same =
            std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.joint == joints[i]; });
        if (same != entries.end())
            same->weight += values[i];
        else
            entries.push_back({joints[i], values[i]});
    }
    // Divided before they are sorted: rounding may make two weights equal, and ties go to the lower joint.
    for (Entry& e : entries) e.weight = static_cast<float>(e.weight / sum);
    std::sort(entries.begin(), entries.end(), heavier);
    for (const Entry& e : entries) {
        weights.joints.push_back(e.joint);
        weights.weights.push_back(e.weight);
    }
    weights.endRow(weights.joints.size());
    return static_cast<float>(sum);
}

SkinWeights keepHeaviest(const SkinWeights& weights, std::size_t count) {
    if (count == 0) return weights;
    SkinWeights kept;
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        const std::size_t n = std::min(count, weights.influenceCount(v));
        appendVertex(kept, weights.jointsOf(v).first(n), weights.weightsOf(v).first(n));
    }
    return kept;
}

SkinWeights lowerToHeaviest(const SkinWeights& weights, std::size_t count) {
    if (count == 0) return weights;
    SkinWeights kept;
    std::vector<float> lowered;
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        const std::size_t n = std::min(count, weights.influenceCount(v));
        const auto values = weights.weightsOf(v);
        lowered.assign(values.begin(), values.begin() + std::ptrdiff_t(n));
        if (n < values.size() && values[0] > values[n])  // otherwise all are equal, and some must be kept
            for (float& w : lowered) w -= values[n];
        appendVertex(kept, weights.jointsOf(v).first(n), lowered);
    }
    return kept;
}

SkinWeights withoutSmall(const SkinWeights& weights, const SkinWeights* untouched) {
    constexpr float kSmall = 1e-4F;
    const auto is_small = [](float w) { return w < kSmall; };
    if (std::none_of(weights.weights.begin(), weights.weights.end(), is_small)) return weights;
    SkinWeights kept;
    std::vector<float> values;
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        const auto joints = weights.jointsOf(v);
        const auto given = weights.weightsOf(v);
        const bool as_it_is = std::none_of(given.begin(), given.end(), is_small) ||
                              (untouched && std::ranges::equal(joints, untouched->jointsOf(v)) &&
                               std::ranges::equal(given, untouched->weightsOf(v)));
        if (as_it_is) {
            kept.joints.insert(kept.joints.end(), joints.begin(), joints.end());
            kept.weights.insert(kept.weights.end(), given.begin(), given.end());
            kept.endRow(kept.joints.size());
            continue;
        }
        values.assign(given.begin(), given.end());
        std::replace_if(values.begin(), values.end(), is_small, 0.0F);
        appendVertex(kept, joints, values);
    }
    return kept;
}

}  // namespace pelt
