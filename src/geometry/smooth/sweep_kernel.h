#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pelt::geometry {

/// A view of a solver's factorization A = L D L^T by columns of L (without the unit diagonal).
struct SweepFactor {
    const int* offsets = nullptr;  ///< column k owns the entries offsets[k] .. offsets[k + 1]
    const int* rows = nullptr;     ///< of each column's entries, below the diagonal
    const double* values = nullptr;
    std::vector<double> inverse_diagonal;  ///< 1 / D
    std::vector<std::uint8_t> together;    ///< the number of columns in the group that starts here, 1 to kTogether

    static constexpr std::size_t kTogether = 4;

    /// Columns k, k + 1, .. form a group (a supernode) if L has the same rows below them: each has the row of the next
    /// column, and then that column's rows. They are processed together, so that rows of x are read once for all of
    /// them.
    void findTogether();

    std::size_t size() const { return inverse_diagonal.size(); }
};

/// Replaces x, size() rows of `width` numbers, by A^-1 x. All channels of a row are processed at once, so that the
/// factor is read only once.
void sweep(const SweepFactor& factor, double* x, std::size_t width);

/// The same for some of the rows, ascending; if row k is listed, so are the rows of column k. x is zero at all other
/// rows and stays zero there, even where A^-1 x is not.
void sweep(const SweepFactor& factor, std::span<const std::uint32_t> rows, double* x, std::size_t width);

}  // namespace pelt::geometry
