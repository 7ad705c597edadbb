#pragma once

#include <pelt/geometry/laplacian.h>

#include <memory>

#include "sweep_kernel.h"

namespace pelt::geometry {

/// Implicit smoothing in a region of the mesh; the values outside are fixed at zero. With k the strength and d the
/// Laplacian's diagonal, row i of (I + k D_L^-1 L) x = x_0 times d_i / k_i is
///     (d_i / k_i) x_i + (L x)_i = (d_i / k_i) x_0i,
/// symmetric and positive definite over the free vertices (k > 0, d > 0). Fixed vertices keep x_0 and move to the
/// right-hand side. A Cholesky factorization of the unsymmetric form would read one triangle only and be wrong.
struct LocalFactor {
    struct Pull {  ///< the influence of a frozen vertex on a free one
        std::uint32_t row, frozen;
        double weight;
    };

    std::vector<std::uint32_t> vertices;  ///< of the free rows
    std::vector<std::uint32_t> frozen;    ///< vertices that pull
    std::vector<double> scale;            ///< d / k per row
    std::vector<Pull> pulls;              ///< `frozen` as an index into the list above
    SweepFactor factor;
    std::shared_ptr<const void> solver;  ///< keeps the factor's arrays
};

/// Whether a vertex keeps its value.
inline bool isFrozen(const Laplacian& laplacian, std::span<const double> strength, std::uint32_t v) {
    return strength[v] == 0 || laplacian.diagonal[v] == 0;
}

/// `free_vertices` in the order of elimination. `row_of`: work space with one number per vertex, all kNoRow before and
/// after.
constexpr std::uint32_t kNoRow = ~std::uint32_t(0);
LocalFactor factorize(const Laplacian& laplacian, std::span<const double> strength,
                      std::vector<std::uint32_t> free_vertices, std::vector<std::uint32_t>& row_of);

}  // namespace pelt::geometry
