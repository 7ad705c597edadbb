#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pelt::io {

/// The maximal compression ratio of Deflate: a larger claim is wrong.
inline constexpr std::uint64_t kMostDeflateGain = 1032;

/// Decompresses zlib data that fill `out` exactly; false if they do not or are damaged.
bool inflateInto(std::span<const std::byte> packed, std::span<std::byte> out);

}  // namespace pelt::io
