#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

namespace pelt::io {

/// The value of type T that `bytes` (sizeof(T) of them) hold in the given byte order.
template <class T>
T loadAs(const std::byte* bytes, std::endian order) {
    std::array<std::byte, sizeof(T)> copy;
    std::memcpy(copy.data(), bytes, sizeof(T));
    if (order != std::endian::native) std::reverse(copy.begin(), copy.end());
    return std::bit_cast<T>(copy);
}

template <class T>
std::array<std::byte, sizeof(T)> storeAs(T value, std::endian order) {
    auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
    if (order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
    return bytes;
}

}  // namespace pelt::io
