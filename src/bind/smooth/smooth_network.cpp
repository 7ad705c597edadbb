// Evaluates the network by plain loops in a fixed order, so that every machine finds the same weights.
#include "smooth_network.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace pelt::bind {
namespace {

#include "network_numbers.inc"

constexpr std::array<std::size_t, 4> kSizes = {kFeatures, 64, 32, 1};
constexpr float kSharper = 1.2f;  // averages of what artists do are softer than any of them

/// e^x for x <= 0, accurate to a thousandth; the standard library's last digit depends on the platform.
float fallingExp(float x) {
    float y = 1 + std::max(x, -100.0f) / 1024;
    for (int k = 0; k < 10; ++k) y *= y;
    return y;
}

}  // namespace

SmoothNetwork::SmoothNetwork() {
    const std::int8_t* number = kNumbers;
    const float* scale = kScales;
    while (number != std::end(kNumbers)) {
        Layers& layers = networks_.emplace_back();
        for (std::size_t l = 0; l < layers.size(); ++l) {
            Layer& layer = layers[l];
            layer.inputs = kSizes[l];
            layer.outputs = kSizes[l + 1];
            layer.weights.resize(layer.inputs * layer.outputs);
            for (std::size_t o = 0; o < layer.outputs; ++o, scale += 2) {
                for (std::size_t i = 0; i < layer.inputs; ++i)
                    layer.weights[i * layer.outputs + o] = static_cast<float>(*number++) * scale[0];
                layer.offsets.push_back(scale[1]);
            }
        }
    }
}

void SmoothNetwork::addShares(const Layers& layers, const float* features, std::size_t count,
                              std::array<float, kCandidates>& shares) {
    std::array<float, kCandidates> scores{};
    std::array<float, 64> from{}, to{};
    for (std::size_t c = 0; c < count; ++c) {
        std::copy_n(features + c * kFeatures, kFeatures, from.begin());
        for (std::size_t l = 0; l < layers.size(); ++l) {
            const Layer& layer = layers[l];
            std::copy(layer.offsets.begin(), layer.offsets.end(), to.begin());
            for (std::size_t i = 0; i < layer.inputs; ++i) {
                const float* w = layer.weights.data() + i * layer.outputs;
                const float x = from[i];
                if (x == 0) continue;
                for (std::size_t o = 0; o < layer.outputs; ++o) to[o] += x * w[o];
            }
            if (l + 1 < layers.size())
                for (std::size_t o = 0; o < layer.outputs; ++o) from[o] = std::max(to[o], 0.0f);
        }
        scores[c] = to[0];
    }
    const float best = *std::max_element(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(count));
    float sum = 0;
    for (std::size_t c = 0; c < count; ++c) sum += scores[c] = fallingExp(kSharper * (scores[c] - best));
    for (std::size_t c = 0; c < count; ++c) shares[c] += scores[c] / sum;
}

std::array<float, kCandidates> SmoothNetwork::weigh(const float* features, std::size_t count) const {
    std::array<float, kCandidates> shares{};
    for (const Layers& layers : networks_) addShares(layers, features, count, shares);
    for (float& share : shares) share /= static_cast<float>(networks_.size());
    return shares;
}

}  // namespace pelt::bind
