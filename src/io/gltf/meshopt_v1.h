#pragma once

#include <cstddef>
#include <span>

namespace pelt::io::gltf {

/// Whether packed vertices are in version 1 of the bitstream, which meshoptimizer 0.18 does not know.
bool isVertexVersion1(std::span<const std::byte> packed);

/// Unpacks version 1 of meshopt's vertex bitstream, `out` being whole elements of `stride` bytes (a multiple of four up
/// to 256); false where the data is broken.
bool decodeVertexVersion1(std::span<std::byte> out, std::size_t stride, std::span<const std::byte> packed);

/// The filter COLOR, in place: luma and chroma become red, green and blue. `stride` is 4 or 8.
void decodeFilterColor(std::span<std::byte> data, std::size_t stride);

}  // namespace pelt::io::gltf
