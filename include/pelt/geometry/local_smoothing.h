#pragma once

#include <pelt/geometry/laplacian.h>

#include <memory>
#include <span>

namespace pelt::geometry {

using pelt::SmoothingKind;

/// Values on some of the vertices: `width` numbers per listed vertex, zero on all others.
struct SparseChannels {
    std::size_t width = 1;
    std::vector<std::uint32_t> vertices;  ///< ascending
    std::vector<double> values;           ///< vertices.size() rows of `width`
};

/// An elimination order of the vertices (nested dissection) with which factorizations of the Laplacian, and of any part
/// of it, stay sparse. `positions`: of the vertices, finite.
std::vector<std::uint32_t> eliminationOrder(const Laplacian& laplacian, std::span<const Vec3f> positions);

/// Whether implicit smoothing with these strengths needs no factorization, so that any order is valid. Always false if
/// a frozen vertex (strength 0) influences others.
bool smoothsByProducts(const Laplacian& laplacian, std::span<const double> strength, int iterations, double tolerance);

/// Smooths functions that are nonzero on a part of the mesh only, at a cost that depends on that part. Each step solves
///     implicit: (I + D D_L^-1 L) X = X_0      explicit: X = (I - D D_L^-1 L) X_0,
/// D_L the Laplacian's diagonal and D the strengths. Values stay in the range of the input (explicit: for strengths up
/// to 1). Immutable: any number of threads may smooth at once.
class LocalSmoother {
public:
    /// `strength`: one per vertex; a vertex with strength 0 keeps its values but still influences its neighbors; an
    /// isolated vertex keeps its values. `order` is eliminationOrder(laplacian, positions). Both spans and the
    /// Laplacian must outlive the smoother. `tolerance`: the allowed error of values of size 1. `positions`: of the
    /// vertices, for a better estimate of how far smoothing spreads; may be empty. Throws Error (bad usage) for
    /// strengths that are negative, not finite or, in explicit smoothing, above 1.
    LocalSmoother(const Laplacian& laplacian, std::span<const std::uint32_t> order, SmoothingKind kind,
                  std::span<const double> strength, double tolerance = 1e-16, std::span<const Vec3f> positions = {});
    ~LocalSmoother();
    LocalSmoother(LocalSmoother&&) noexcept;

    /// Computes the factorization that wide functions share. Otherwise the first of them computes it.
    void prepare() const;

    /// Smooths `iterations` times. The last channel must be non-negative and defines the support of the function:
    /// smoothing continues outward until that channel falls below `cutoff`, and vertices at or below it are left out of
    /// the result. With 0, only vertices that the function cannot reach are left out.
    SparseChannels smooth(const SparseChannels& input, int iterations, double cutoff) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace pelt::geometry
