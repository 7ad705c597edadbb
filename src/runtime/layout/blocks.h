#pragma once

#include <pelt/runtime/shape.h>

#include <cstddef>

namespace pelt::runtime {

/// Sixteen consecutive vertices form a block; kernels process one block at a time.
inline constexpr std::size_t kLanes = 16;

constexpr std::size_t blocksOf(std::size_t vertices) { return vertices / kLanes + (vertices % kLanes != 0); }

/// One number for each vertex of a block.
struct alignas(64) LaneRow {
    float lane[kLanes] = {};
};

/// The three-vectors of one block, by component, so that kernels need not deinterleave them.
struct alignas(64) VectorRows {
    float x[kLanes] = {}, y[kLanes] = {}, z[kLanes] = {};
};

/// A rest shape, one row per block. `normals` is empty if the mesh has none.
struct RestRows {
    std::size_t vertex_count = 0;
    std::span<const VectorRows> positions;
    std::span<const VectorRows> normals;

    bool isSound() const noexcept {
        const std::size_t blocks = blocksOf(vertex_count);
        return positions.size() == blocks && (normals.empty() || normals.size() == blocks);
    }
};

}  // namespace pelt::runtime
