#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pelt::geometry {

/// A = L D L^T by columns of L (unit diagonal left out), where a solver keeps it.
struct SweepFactor {
    const int* offsets = nullptr;  ///< column k owns the entries offsets[k] .. offsets[k + 1]
    const int* rows = nullptr;     ///< of each column's entries, below the diagonal
    const double* values = nullptr;
    std::vector<double> inverse_diagonal;  ///< 1 / D
    std::vector<std::uint8_t> together;    ///< how many columns from this one on go together, 1 to kTogether

    static constexpr std::size_t kTogether = 4;

    /// Columns k, k + 1, .. go together where L has the same rows below them: each has the next one's row and then its
    /// rows. They are swept at once, so that rows of x are read once for all of them.
    void findTogether();

    std::size_t size() const { return inverse_diagonal.size(); }
};

/// Replaces x, size() rows of `width` numbers, by A^-1 x. All channels of a row are swept at once: the factor is read
/// once for all of them.
void sweep(const SweepFactor& factor, double* x, std::size_t width);

/// The same at some of the rows, ascending: with every row k they hold the rows of column k. x is zero at all others,
/// which stay so; what the inverse has there is left out.
void sweep(const SweepFactor& factor, std::span<const std::uint32_t> rows, double* x, std::size_t width);

}  // namespace pelt::geometry
