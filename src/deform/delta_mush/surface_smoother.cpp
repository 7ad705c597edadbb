#include "surface_smoother.h"

#include <pelt/core/parallel.h>

#include <algorithm>

namespace pelt::deform {
namespace {

struct Entry {
    std::uint32_t row, column;
    double weight;
};

}  // namespace

geometry::Laplacian withExtraEdges(const geometry::Laplacian& laplacian, std::span<const ExtraEdge> edges) {
    std::vector<Entry> entries;
    entries.reserve(laplacian.weights.size() + 2 * edges.size());
    for (std::uint32_t v = 0; v < laplacian.vertexCount(); ++v)
        for (std::size_t e = laplacian.edges.offsets[v]; e < laplacian.edges.offsets[v + 1]; ++e)
            entries.push_back({v, laplacian.edges.neighbours[e], laplacian.weights[e]});
    for (const ExtraEdge& edge : edges) {
        entries.push_back({edge.a, edge.b, edge.weight});
        entries.push_back({edge.b, edge.a, edge.weight});
    }
    // Stable: both directions of an edge add up in the same order and stay equal to the bit.
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) {
        return x.row != y.row ? x.row < y.row : x.column < y.column;
    });

    geometry::Laplacian joined;
    joined.diagonal.assign(laplacian.vertexCount(), 0.0);
    joined.edges.offsets.assign(laplacian.vertexCount() + 1, 0);
    for (std::size_t e = 0; e < entries.size(); ++e) {
        const Entry& entry = entries[e];
        const bool again = e > 0 && entries[e - 1].row == entry.row && entries[e - 1].column == entry.column;
        if (again) {
            joined.weights.back() += entry.weight;
        } else {
            joined.edges.neighbours.push_back(entry.column);
            joined.weights.push_back(entry.weight);
            ++joined.edges.offsets[entry.row + 1];
        }
        joined.diagonal[entry.row] += entry.weight;
    }
    for (std::size_t v = 0; v < joined.vertexCount(); ++v) joined.edges.offsets[v + 1] += joined.edges.offsets[v];
    return joined;
}

SurfaceSmoother::SurfaceSmoother(geometry::Laplacian laplacian, geometry::SmoothingKind kind, int iterations,
                                 std::vector<double> lambda)
    : laplacian_(std::move(laplacian)), iterations_(iterations), lambda_(std::move(lambda)) {
    if (kind == geometry::SmoothingKind::implicit) implicit_.emplace(laplacian_, 1.0, lambda_);
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
            pull += laplacian_.weights[e] * (from[edges.neighbours[e]] - from[v]);
        to[v] += lambda_[v] / laplacian_.diagonal[v] * pull;
    }
}

}  // namespace pelt::deform
