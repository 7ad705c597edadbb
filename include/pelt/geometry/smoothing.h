#pragma once

#include <pelt/geometry/laplacian.h>

#include <memory>

namespace pelt::geometry {

/// Implicit smoothing with one factorization for many columns: each step solves
///     (I + lambda D D_L^-1 L) X = X_0,
/// D_L the Laplacian's diagonal and D the map. Values stay in the range of the input; constants are reproduced.
class ImplicitSmoother {
public:
    /// `map` multiplies lambda per vertex (empty: 1 everywhere). A vertex with map 0 keeps its values but influences
    /// its neighbors; an isolated vertex (diagonal 0) keeps its values. Throws Error (bad usage) for a negative or
    /// non-finite strength and (bad input) if the factorization fails.
    ImplicitSmoother(const Laplacian& laplacian, std::span<const Vec3f> positions, double lambda,
                     std::span<const double> map = {});
    ~ImplicitSmoother();
    ImplicitSmoother(ImplicitSmoother&&) noexcept;
    ImplicitSmoother& operator=(ImplicitSmoother&&) noexcept;

    std::size_t vertexCount() const;

    /// Smooths in place, `iterations` times. `values` holds whole columns one after the other, each vertexCount() long.
    void smooth(std::span<double> values, int iterations = 1) const;

private:
    struct Factor;
    std::unique_ptr<Factor> factor_;
};

}  // namespace pelt::geometry
