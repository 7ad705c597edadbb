// Smooths a posed surface for Delta Mush, implicitly or step by step.
#include "surface_smoother.h"

#include <pelt/core/parallel.h>

#include <algorithm>

namespace pelt::deform {

SurfaceSmoother::SurfaceSmoother(geometry::Laplacian laplacian, std::span<const Vec3f> positions,
                                 geometry::SmoothingKind kind, int iterations, std::vector<double> lambda)
    : laplacian_(std::move(laplacian)), iterations_(iterations), lambda_(std::move(lambda)) {
    if (kind == geometry::SmoothingKind::implicit) implicit_.emplace(laplacian_, positions, 1.0, lambda_);
}

void SurfaceSmoother::smooth(std::span<double> values, std::span<double> scratch) const {
    if (implicit_) return implicit_->smooth(values, iterations_);
    const std::size_t count = laplacian_.vertexCount();
    parallelFor(values.size() / count, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t column = first; column < last; ++column) {
            double* from = values.data() + column * count;
            double* to = scratch.data() + column * count;
            for (int i = 0; i < iterations_; ++i, std::swap(from, to)) step(from, to);
            if (iterations_ % 2 == 1) std::copy(from, from + count, to);
        }
    });
}

/// x' = (I − λ D_λ D_L⁻¹ L) x, one column [LeLewis19] Eq. 2a
void SurfaceSmoother::step(const double* from, double* to) const {
    const auto& edges = laplacian_.edges;
    for (std::size_t v = 0; v < laplacian_.vertexCount(); ++v) {
        to[v] = from[v];
        if (frozen(v)) continue;
        double pull = 0;
        for (std::size_t e = edges.offsets[v]; e < edges.offsets[v + 1]; ++e)
            pull += laplacian_.weights[e] * (from[edges.neighbors[e]] - from[v]);
        to[v] += lambda_[v] / laplacian_.diagonal[v] * pull;
    }
}

}  // namespace pelt::deform
