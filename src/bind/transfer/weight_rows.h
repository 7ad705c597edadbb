#pragma once

#include <pelt/core/skin_weights.h>
#include <pelt/geometry/ray_tree.h>

#include "bind/rigid/bind_surface.h"

namespace pelt::bind::transfer {

/// A sparse sum of weight rows, by joint.
class RowSum {
public:
    void add(const SkinWeights& weights, std::size_t vertex, double factor) {
        const auto joints = weights.jointsOf(vertex);
        const auto values = weights.weightsOf(vertex);
        for (std::size_t i = 0; i < joints.size(); ++i) add(joints[i], double(values[i]) * factor);
    }
    void add(std::uint32_t joint, double weight) {
        joints_.push_back(joint);
        weights_.push_back(float(weight));
    }
    /// Appends the sum as a row, rescaled to sum 1, and starts again.
    void appendTo(SkinWeights& out) {
        appendVertex(out, joints_, weights_);
        joints_.clear();
        weights_.clear();
    }

private:
    std::vector<std::uint32_t> joints_;
    std::vector<float> weights_;
};

/// The weights of a welded surface.
struct WeightedSurface {
    const BindSurface& surface;
    const SkinWeights& weights;  ///< per welded vertex

    void addAt(const geometry::SurfacePlace& place, double factor, RowSum& sum) const {
        const Triangle& corners = surface.triangles[place.triangle];
        for (std::size_t k = 0; k < 3; ++k)
            if (place.shares[k] > 0) sum.add(weights, corners[k], factor * place.shares[k]);
    }
};

}  // namespace pelt::bind::transfer
