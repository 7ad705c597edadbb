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

/// Whether implicit smoothing of these strengths is done without a factorisation, so that any order will do. Never
/// where a frozen vertex pulls on others.
bool smoothsByProducts(const Laplacian& laplacian, std::span<const double> strength, int iterations, double tolerance);

/// Smooths functions that are nonzero on a part of the mesh only, at a cost that depends on that part. Each step solves
///     implicit: (I + D D_L^-1 L) X = X_0      explicit: X = (I - D D_L^-1 L) X_0,
/// D_L the Laplacian's diagonal and D the strengths. Values stay in the range of the input (explicit: for strengths up
/// to 1). Immutable: any number of threads may smooth at once.
class LocalSmoother {
public:
    /// `strength`: one per vertex; a vertex with strength 0 keeps its values and still pulls on its neighbours, an
    /// isolated vertex keeps its values. `order` is eliminationOrder(laplacian, positions). Both spans and the
    /// Laplacian must outlive the smoother. `tolerance`: how far values of size 1 may be off. `positions`: of the
    /// vertices, for a better guess of how far smoothing reaches; may be empty. Throws Error (bad usage) for strengths
    /// that are negative, not finite or, in explicit smoothing, above 1.
    LocalSmoother(const Laplacian& laplacian, std::span<const std::uint32_t> order, SmoothingKind kind,
                  std::span<const double> strength, double tolerance = 1e-16, std::span<const Vec3f> positions = {});
    ~LocalSmoother();
    LocalSmoother(LocalSmoother&&) noexcept;

    /// Makes the factorisation that wide functions share, which the first of them would make else.
    void prepare() const;

    /// Smooths `iterations` times. The last channel must be non-negative and says where the function lives: it is
    /// followed out to where that channel falls under `cutoff`, and vertices at or under it are left out of the result.
    /// 0 leaves out nothing but what the function cannot reach.
    SparseChannels smooth(const SparseChannels& input, int iterations, double cutoff) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace pelt::geometry
