#pragma once

#include <array>
#include <vector>

#include "candidate_features.h"

namespace pelt::bind {

/// The trained network: kFeatures numbers of a candidate make a score, and a softmax over the candidates of a vertex
/// makes the weights that an artist would probably give them. It is the mean of some networks that were trained from
/// different starts, since one alone errs here or there.
class SmoothNetwork {
public:
    SmoothNetwork();

    /// `features`: kFeatures numbers for each of `count` candidates.
    std::array<float, kCandidates> weigh(const float* features, std::size_t count) const;

private:
    struct Layer {
        std::size_t inputs = 0, outputs = 0;
        std::vector<float> weights;  ///< the weights of one input for all outputs, then the next
        std::vector<float> offsets;
    };

    using Layers = std::array<Layer, 3>;

    static void addShares(const Layers& layers, const float* features, std::size_t count,
                          std::array<float, kCandidates>& shares);

    std::vector<Layers> networks_;
};

}  // namespace pelt::bind
