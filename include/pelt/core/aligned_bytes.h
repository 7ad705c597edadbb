#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pelt {

/// Bytes aligned to 64 and initialized to 0: for packed rigs and the memory of poses.
class AlignedBytes {
public:
    explicit AlignedBytes(std::size_t size) : lines_(size / sizeof(Line) + (size % sizeof(Line) != 0)), size_(size) {}

    std::size_t size() const { return size_; }
    std::byte* data() { return lines_.empty() ? nullptr : lines_.data()->bytes; }
    const std::byte* data() const { return lines_.empty() ? nullptr : lines_.data()->bytes; }
    operator std::span<std::byte>() { return {data(), size_}; }
    operator std::span<const std::byte>() const { return {data(), size_}; }

private:
    struct alignas(64) Line {
        std::byte bytes[64] = {};
    };
    std::vector<Line> lines_;
    std::size_t size_;
};

}  // namespace pelt
