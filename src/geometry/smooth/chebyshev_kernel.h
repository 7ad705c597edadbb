#pragma once

#include <cstdint>
#include <vector>

namespace pelt::geometry {

/// A sparse matrix by rows, with its diagonal stored separately.
struct SparseRows {
    std::vector<std::uint32_t> offsets;  ///< row i owns the entries offsets[i] .. offsets[i + 1]
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
    std::vector<double> diagonal;

    std::size_t size() const { return diagonal.size(); }
};

/// Replaces x, size() rows of `width` numbers, by Σ_k c_k T_k(A) x, T_k the Chebyshev polynomials; the eigenvalues of A
/// lie in [-1, 1]. There are at least two `coefficients`.
void applyChebyshev(const SparseRows& a, const std::vector<double>& coefficients, std::vector<double>& x,
                    std::size_t width);

}  // namespace pelt::geometry
