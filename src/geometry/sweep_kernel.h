#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pelt::geometry {

/// A = L D L^T by columns of L (unit diagonal left out).
struct SweepFactor {
    std::vector<std::uint32_t> offsets{0};
    std::vector<std::uint32_t> rows;  ///< of each column's entries, below the diagonal
    std::vector<double> values;
    std::vector<double> inverse_diagonal;  ///< 1 / D

    std::size_t size() const { return inverse_diagonal.size(); }
};

/// Replaces x, size() rows of `width` numbers, by A^-1 x. All channels of a row are swept at once: the factor is read
/// once for all of them.
void sweep(const SweepFactor& factor, double* x, std::size_t width);

}  // namespace pelt::geometry
