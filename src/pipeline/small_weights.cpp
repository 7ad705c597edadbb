#include "small_weights.h"

#include <algorithm>

namespace pelt::pipeline {

SkinWeights withoutSmall(const SkinWeights& weights) {
    constexpr float kSmall = 1e-4F;
    if (std::none_of(weights.weights.begin(), weights.weights.end(), [](float w) { return w < kSmall; }))
        return weights;
    SkinWeights kept;
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        std::vector<std::uint32_t> joints;
        std::vector<float> values;
        for (std::size_t i = 0; i < weights.influenceCount(v); ++i) {
            if (weights.weightsOf(v)[i] < kSmall) continue;
            joints.push_back(weights.jointsOf(v)[i]);
            values.push_back(weights.weightsOf(v)[i]);
        }
        appendVertex(kept, joints, values);
    }
    return kept;
}

}  // namespace pelt::pipeline
