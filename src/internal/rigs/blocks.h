#pragma once

#include <pelt/runtime/shape.h>

#include <cstddef>

namespace pelt::runtime {

/// Sixteen consecutive vertices form a block; kernels do a block at a time.
inline constexpr std::size_t kLanes = 16;

constexpr std::size_t blocksOf(std::size_t vertices) { return vertices / kLanes + (vertices % kLanes != 0); }

/// One number for each vertex of a block.
struct alignas(64) LaneRow {
    float lane[kLanes] = {};
};

/// One block's three-vectors, by component: what kernels load without taking triples apart.
struct alignas(64) VectorRows {
    float x[kLanes] = {}, y[kLanes] = {}, z[kLanes] = {};
};

/// A rest shape, a row per block. `normals` is empty where the mesh has none.
struct RestRows {
    std::size_t vertex_count = 0;
    std::span<const VectorRows> positions;
    std::span<const VectorRows> normals;
};

inline bool isSound(const RestRows& rest) noexcept {
    const std::size_t blocks = blocksOf(rest.vertex_count);
    return rest.positions.size() == blocks && (rest.normals.empty() || rest.normals.size() == blocks);
}

}  // namespace pelt::runtime
