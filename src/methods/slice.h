#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace pelt::methods {

/// A selection from a list in Python's syntax, "a:b:step"; each part is optional, and negative numbers count from the
/// end.
struct Slice {
    std::optional<std::int64_t> start, stop;
    std::int64_t step = 1;
    bool single = false;  ///< a lone number: that one entry, which must exist
};

/// Throws Error (bad usage) for a malformed slice or a step of 0.
Slice parseSlice(std::string_view text);

/// The chosen indices of a list of `size` entries, in the slice's order. Ends outside the list are clamped, as in
/// Python. Throws Error (bad input) for a single index that does not exist.
std::vector<std::size_t> sliceIndices(const Slice& slice, std::size_t size);

}  // namespace pelt::methods
