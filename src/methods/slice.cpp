// Selections from a list in Python's syntax.
#include "slice.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <charconv>

namespace pelt::methods {
namespace {

[[noreturn]] void failParsing(std::string_view text) {
    throw Error::badUsage(fmt::format("'{}' is not a slice: write first:last:step, as in Python, e.g. 0:100:5", text));
}

std::optional<std::int64_t> parseBound(std::string_view part, std::string_view text) {
    if (part.empty()) return std::nullopt;
    if (part.front() == '+') part.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (fault != std::errc() || end != part.data() + part.size()) failParsing(text);
    return value;
}

/// Python's clamping of a bound: negative values count from the end, then clamped to [low, high].
std::int64_t clampBound(std::int64_t bound, std::int64_t size, std::int64_t low, std::int64_t high) {
    if (bound < 0) bound = bound < -size ? -1 : bound + size;
    return std::clamp(bound, low, high);
}

std::size_t singleIndex(std::int64_t index, std::int64_t size) {
    if (index < -size || index >= size)
        throw Error::badInput(fmt::format("no frame {}: there are {}, counted from 0", index, size));
    return static_cast<std::size_t>(index < 0 ? index + size : index);
}

}  // namespace

Slice parseSlice(std::string_view text) {
    std::string_view parts[3];
    std::size_t count = 0;
    for (std::string_view rest = text;; ++count) {
        if (count == 3) failParsing(text);
        const std::size_t colon = rest.find(':');
        parts[count] = rest.substr(0, colon);
        if (colon == std::string_view::npos) break;
        rest.remove_prefix(colon + 1);
    }
    Slice slice;
    slice.single = count == 0;
    slice.start = parseBound(parts[0], text);
    if (slice.single && !slice.start) failParsing(text);
    slice.stop = parseBound(parts[1], text);
    slice.step = parseBound(parts[2], text).value_or(1);
    if (slice.step == 0) throw Error::badUsage(fmt::format("slice '{}': the step must not be 0", text));
    return slice;
}

std::vector<std::size_t> sliceIndices(const Slice& slice, std::size_t list_size) {
    const auto size = static_cast<std::int64_t>(list_size);
    if (slice.single) return {singleIndex(*slice.start, size)};
    std::vector<std::size_t> indices;
    // Clamping the step to the list's length does not change the result and prevents overflow below.
    const std::int64_t step = std::clamp(slice.step, -size - 1, size + 1);
    if (step > 0) {
        const std::int64_t stop = clampBound(slice.stop.value_or(size), size, 0, size);
        for (std::int64_t i = clampBound(slice.start.value_or(0), size, 0, size); i < stop; i += step)
            indices.push_back(static_cast<std::size_t>(i));
    } else {
        const std::int64_t stop = slice.stop ? clampBound(*slice.stop, size, -1, size - 1) : -1;
        const std::int64_t start = slice.start ? clampBound(*slice.start, size, -1, size - 1) : size - 1;
        for (std::int64_t i = start; i > stop; i += step) indices.push_back(static_cast<std::size_t>(i));
    }
    return indices;
}

}  // namespace pelt::methods
