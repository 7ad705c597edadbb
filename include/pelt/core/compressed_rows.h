#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pelt {

/// Rows of any length, stored one after the other: row r has the entries offsets[r] .. offsets[r + 1] of the arrays
/// that belong to it, fewer than 2^32 in total.
struct CompressedRows {
    std::vector<std::uint32_t> offsets{0};  ///< rowCount() + 1 of them

    std::size_t rowCount() const { return offsets.size() - 1; }
    std::size_t rowSize(std::size_t row) const { return offsets[row + 1] - offsets[row]; }

    /// The entries of a row in one of the arrays.
    template <class T>
    std::span<const T> rowOf(const std::vector<T>& entries, std::size_t row) const {
        return {entries.data() + offsets[row], rowSize(row)};
    }

    /// Makes the entries up to `end` that belong to no row yet the next row.
    void endRow(std::size_t end) { offsets.push_back(static_cast<std::uint32_t>(end)); }

    friend bool operator==(const CompressedRows&, const CompressedRows&) = default;
};

}  // namespace pelt
