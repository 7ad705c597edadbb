#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pelt {

/// Rows of any length, stored one after the other: row r owns the entries offsets[r] .. offsets[r + 1] of the arrays
/// beside it, fewer than 2^32 in all.
struct CompressedRows {
    std::vector<std::uint32_t> offsets{0};  ///< rowCount() + 1 of them

    std::size_t rowCount() const { return offsets.size() - 1; }
    std::size_t rowSize(std::size_t row) const { return offsets[row + 1] - offsets[row]; }

    /// What a row owns of one of the arrays.
    template <class T>
    std::span<const T> rowOf(const std::vector<T>& entries, std::size_t row) const {
        return {entries.data() + offsets[row], rowSize(row)};
    }

    /// The entries up to `end` that no row has yet become the next row.
    void endRow(std::size_t end) { offsets.push_back(static_cast<std::uint32_t>(end)); }

    friend bool operator==(const CompressedRows&, const CompressedRows&) = default;
};

}  // namespace pelt
