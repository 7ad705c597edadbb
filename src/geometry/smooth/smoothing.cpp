// Smooths many columns of values with one factorization.
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/local_smoothing.h>
#include <pelt/geometry/smoothing.h>

#include <algorithm>
#include <cmath>

#include "local_factor.h"

namespace pelt::geometry {
namespace {

/// At most this many columns are solved together: their rows fit in registers, and the factor is read once for all.
constexpr std::size_t kBatch = 12;

std::vector<double> checkedStrength(std::size_t count, double lambda, std::span<const double> map) {
    if (!map.empty() && map.size() != count)
        throw Error::badUsage("the smoothing map has " + std::to_string(map.size()) + " values for " +
                              std::to_string(count) + " vertices");
    std::vector<double> strength(count, lambda);
    for (std::size_t v = 0; v < count; ++v) {
        if (!map.empty()) strength[v] *= map[v];
        if (!(strength[v] >= 0) || !std::isfinite(strength[v]))
            throw Error::badUsage("the smoothing strength of vertex " + std::to_string(v) +
                                  " must be zero or a positive number");
    }
    return strength;
}

}  // namespace

struct ImplicitSmoother::Factor {
    std::size_t vertex_count = 0;
    LocalFactor local;

    /// `columns` whole columns of `values`, at most kBatch. Frozen vertices keep their values.
    void smooth(std::span<double> values, std::size_t columns, int iterations) const {
        const std::size_t rows = local.vertices.size();
        const auto at = [&](std::size_t c, std::uint32_t vertex) -> double& {
            return values[c * vertex_count + vertex];
        };
        std::vector<double> x(rows * columns);
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t c = 0; c < columns; ++c) x[row * columns + c] = at(c, local.vertices[row]);
        for (int i = 0; i < iterations; ++i) {
            for (std::size_t row = 0; row < rows; ++row)
                for (std::size_t c = 0; c < columns; ++c) x[row * columns + c] *= local.scale[row];
            for (const LocalFactor::Pull& pull : local.pulls)
                for (std::size_t c = 0; c < columns; ++c)
                    x[pull.row * columns + c] += pull.weight * at(c, local.frozen[pull.frozen]);
            sweep(local.factor, x.data(), columns);
        }
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t c = 0; c < columns; ++c) at(c, local.vertices[row]) = x[row * columns + c];
    }
};

ImplicitSmoother::ImplicitSmoother(const Laplacian& laplacian, std::span<const Vec3f> positions, double lambda,
                                   std::span<const double> map)
    : factor_(std::make_unique<Factor>()) {
    factor_->vertex_count = laplacian.vertexCount();
    const std::vector<double> strength = checkedStrength(laplacian.vertexCount(), lambda, map);
    std::vector<std::uint32_t> free_vertices = eliminationOrder(laplacian, positions);
    std::erase_if(free_vertices, [&](std::uint32_t v) { return strength[v] == 0 || laplacian.diagonal[v] == 0; });
    std::vector<std::uint32_t> row_of(laplacian.vertexCount(), kNoRow);
    factor_->local = factorize(laplacian, strength, std::move(free_vertices), row_of);
}

ImplicitSmoother::~ImplicitSmoother() = default;
ImplicitSmoother::ImplicitSmoother(ImplicitSmoother&&) noexcept = default;
ImplicitSmoother& ImplicitSmoother::operator=(ImplicitSmoother&&) noexcept = default;

std::size_t ImplicitSmoother::vertexCount() const { return factor_->vertex_count; }

void ImplicitSmoother::smooth(std::span<double> values, int iterations) const {
    const std::size_t count = vertexCount();
    if (count == 0 || values.size() % count != 0) {
        if (values.empty()) return;
        throw Error::badUsage("smoothing takes whole columns of " + std::to_string(count) + " values");
    }
    if (factor_->local.vertices.empty()) return;
    // Every column is computed alike, whatever others it is solved with: each thread gets a share, in whole registers.
    const std::size_t columns = values.size() / count, threads = std::size_t(std::max(threadCount(), 1));
    const std::size_t rounds = (columns + kBatch * threads - 1) / (kBatch * threads);
    const std::size_t share = (columns + threads * rounds - 1) / (threads * rounds), size = (share + 3) / 4 * 4;
    parallelFor(columns, size, [&](std::size_t first, std::size_t last) {
        for (std::size_t begin = first; begin < last; begin += size)
            factor_->smooth(values.subspan(begin * count), std::min(size, last - begin), iterations);
    });
}

}  // namespace pelt::geometry
