#pragma once

#include <pelt/core/affine.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pelt::pose {

/// Weights in blocks of 16 vertices: the columns that any of them uses, each with 16 weights.
struct BlendBlocks {
    static constexpr std::size_t kLanes = 16;
    struct alignas(64) Lanes {
        float value[kLanes] = {};
    };
    std::size_t vertices = 0;
    std::vector<Lanes> rest;                ///< x, y, z of each block
    std::vector<std::uint32_t> offsets{0};  ///< per block, into columns and weights
    std::vector<std::uint32_t> columns;
    std::vector<Lanes> weights;
};

/// x' = Σ w_j T_j x for the vertices of the blocks [first, last); `out` has space for whole blocks, starting with the
/// first.
void blendRange(const BlendBlocks& blocks, std::size_t first, std::size_t last, const Affine3f* transforms, Vec3f* out);

}  // namespace pelt::pose
