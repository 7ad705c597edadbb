#pragma once

#include <cstddef>

namespace pelt::fit::ssdr {

/// out[i][c] = Σ_d v[i][d] m[d][c]: `count` rows of `dimensions` floats times a matrix of `dimensions` rows of
/// `columns` numbers.
void multiplyRows(const float* v, std::size_t count, std::size_t dimensions, const double* m, std::size_t columns,
                  double* out);

/// sum[c][d] += factor[c] v[d] for c < 4.
void addOuter(const float* v, std::size_t dimensions, const double factor[4], double* sum);

}  // namespace pelt::fit::ssdr
