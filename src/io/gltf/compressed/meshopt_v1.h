#pragma once

#include <cstddef>
#include <span>

namespace pelt::io::gltf {

/// Whether compressed vertices use version 1 of the bitstream, which meshoptimizer 0.18 does not support.
bool isVertexVersion1(std::span<const std::byte> packed);

/// Decompresses version 1 of meshopt's vertex bitstream; `out` consists of elements of `stride` bytes (a multiple of
/// four up to 256). False if the data is damaged.
bool decodeVertexVersion1(std::span<std::byte> out, std::size_t stride, std::span<const std::byte> packed);

/// The filter COLOR, in place: luma and chroma become red, green and blue. `stride` is 4 or 8.
void decodeFilterColor(std::span<std::byte> data, std::size_t stride);

}  // namespace pelt::io::gltf
