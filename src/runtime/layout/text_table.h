#pragma once

#include <string_view>

#include "rig_bytes.h"

namespace pelt::runtime {

/// Names in a rig: name i is text[offsets[i] .. offsets[i + 1]).
struct TextTableAt {
    ArrayAt<std::uint32_t> offsets;
    ArrayAt<char> text;
};

struct TextTable {
    std::span<const std::uint32_t> offsets;
    std::span<const char> text;

    std::string_view operator[](std::size_t i) const {
        return {text.data() + offsets[i], std::size_t(offsets[i + 1]) - offsets[i]};
    }
    bool isSound(std::size_t count) const noexcept { return areOffsets(offsets, count, text.size()); }
};

}  // namespace pelt::runtime
