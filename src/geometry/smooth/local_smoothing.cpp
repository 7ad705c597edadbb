// Smoothing of functions with small support, in the region that they reach (local_reach.h). Values at its boundary are
// checked afterwards, and it grows where they are still too large.
//
// A small region gets its own factorization; the values outside are fixed at zero. Larger regions share the
// factorization of the whole mesh: substitutions visit only the columns of the region and their ancestors in the
// elimination tree.
#include <pelt/core/error.h>
#include <pelt/geometry/local_smoothing.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>

#include "chebyshev_kernel.h"
#include "local_factor.h"
#include "local_polynomial.h"
#include "local_reach.h"

namespace pelt::geometry {
namespace {

/// A region with more than 1 / kWide of the free vertices uses the factorization of all of them.
constexpr std::size_t kWide = 8;

/// Whether a fixed vertex influences a free one: a polynomial of the matrix cannot express that.
bool anyPull(const Laplacian& laplacian, std::span<const double> strength) {
    for (std::uint32_t v = 0; v < strength.size(); ++v) {
        if (!isFrozen(laplacian, strength, v)) continue;
        for (const std::uint32_t n : laplacian.edges.of(v))
            if (!isFrozen(laplacian, strength, n)) return true;
    }
    return false;
}

}  // namespace

bool smoothsByProducts(const Laplacian& laplacian, std::span<const double> strength, int iterations, double tolerance) {
    if (strength.empty() || anyPull(laplacian, strength)) return false;
    const double most = std::exp2(0.25) * *std::max_element(strength.begin(), strength.end());
    return most == 0 || !powerCoefficients(iterations, 2 * most, tolerance).empty();
}

struct LocalSmoother::State {
    const Laplacian& laplacian;
    std::span<const std::uint32_t> order;
    SmoothingKind kind;
    std::span<const double> strength;
    std::vector<std::uint32_t> rank;  ///< of each vertex in the order
    std::size_t free_count = 0;
    double tolerance;  ///< of polynomials
    bool pulls = false;
    std::vector<float> lengths;  ///< of edges, as edgeLengths gives them
    mutable std::mutex coefficients_mutex;
    mutable std::map<std::pair<int, int>, std::vector<double>> coefficients_of;  ///< by iterations and stepOf(end)
    mutable std::once_flag whole_once;
    mutable LocalFactor whole;                     ///< of all free vertices
    mutable std::vector<std::uint32_t> whole_row;  ///< per vertex, kNoRow where it is frozen

    State(const Laplacian& l, std::span<const std::uint32_t> o, SmoothingKind k, std::span<const double> s, double t)
        : laplacian(l), order(o), kind(k), strength(s), rank(l.vertexCount()), tolerance(t) {}

    bool frozen(std::uint32_t v) const { return isFrozen(laplacian, strength, v); }

    std::vector<std::uint32_t> region(const std::vector<std::uint32_t>& from, double reach, int hops) const;
    void factorizeWhole() const;
    std::vector<std::uint32_t> wholeRows(const std::vector<std::uint32_t>& region) const;
    double strongest(const std::vector<std::uint32_t>& region) const;
    const std::vector<double>& coefficients(int iterations, double strongest) const;
    bool rimAbove(const SparseChannels& result, double cutoff) const;
    SparseChannels smoothByProducts(const SparseChannels& input, const std::vector<std::uint32_t>& region,
                                    const std::vector<double>& coefficients, double strongest) const;
    SparseChannels smoothImplicit(const SparseChannels& input, std::vector<std::uint32_t> region, int iterations) const;
    void step(const LocalFactor& local, const SparseChannels& input, std::span<const std::uint32_t> rows,
              std::vector<double>& x, int iterations) const;
    SparseChannels smoothExplicit(const SparseChannels& input, std::vector<std::uint32_t> region, int iterations) const;
};

LocalSmoother::LocalSmoother(const Laplacian& laplacian, std::span<const std::uint32_t> order, SmoothingKind kind,
                             std::span<const double> strength, double tolerance, std::span<const Vec3f> positions)
    : state_(std::make_unique<State>(laplacian, order, kind, strength, tolerance)) {
    if (strength.size() != laplacian.vertexCount() || order.size() != laplacian.vertexCount())
        throw Error::badUsage("smoothing takes one strength for each vertex");
    for (std::uint32_t v = 0; v < strength.size(); ++v) {
        if (!(strength[v] >= 0) || !std::isfinite(strength[v]))
            throw Error::badUsage("the smoothing strength of vertex " + std::to_string(v) +
                                  " must be zero or a positive number");
        if (kind == SmoothingKind::explicit_ && strength[v] > 1)
            throw Error::badUsage("explicit smoothing is stable up to a strength of 1, vertex " + std::to_string(v) +
                                  " has " + std::to_string(strength[v]) + ": use implicit smoothing");
        state_->free_count += !state_->frozen(v);
        state_->rank[order[v]] = v;
    }
    state_->pulls = anyPull(laplacian, strength);
    const bool by_hops = kind == SmoothingKind::explicit_;  // then shortest paths have few edges
    state_->lengths = edgeLengths(laplacian, strength, by_hops ? std::span<const Vec3f>{} : positions);
}

LocalSmoother::~LocalSmoother() = default;
LocalSmoother::LocalSmoother(LocalSmoother&&) noexcept = default;

/// The free vertices within reach of a function, in elimination order.
std::vector<std::uint32_t> LocalSmoother::State::region(const std::vector<std::uint32_t>& from, double reach,
                                                        int hops) const {
    std::vector<std::uint32_t> found = verticesWithin(laplacian, strength, lengths, from, reach, hops);
    for (std::uint32_t& v : found) v = rank[v];
    std::sort(found.begin(), found.end());
    for (std::uint32_t& v : found) v = order[v];
    return found;
}

/// Rounded up to a power of the fourth root of 2, so that all regions share a few polynomials.
int stepOf(double strongest) { return int(std::ceil(4 * std::log2(strongest))); }
double strengthOf(int step) { return std::exp2(step / 4.0); }

double LocalSmoother::State::strongest(const std::vector<std::uint32_t>& region) const {
    double most = 0;
    for (const std::uint32_t v : region) most = std::max(most, strength[v]);
    return most;
}

/// The coefficients of the polynomial for this many implicit steps; none if a factorization is cheaper or fixed
/// vertices influence others.
const std::vector<double>& LocalSmoother::State::coefficients(int iterations, double strongest) const {
    static const std::vector<double> kNone;
    if (kind != SmoothingKind::implicit || pulls || strongest == 0) return kNone;
    const std::lock_guard lock(coefficients_mutex);
    const auto [at, fresh] = coefficients_of.try_emplace({iterations, stepOf(strongest)});
    if (fresh) at->second = powerCoefficients(iterations, 2 * strengthOf(stepOf(strongest)), tolerance);
    return at->second;
}

void LocalSmoother::State::factorizeWhole() const {
    std::call_once(whole_once, [&] {
        std::vector<std::uint32_t> all;
        for (const std::uint32_t v : order)
            if (!frozen(v)) all.push_back(v);
        whole_row.assign(laplacian.vertexCount(), kNoRow);
        whole = factorize(laplacian, strength, std::move(all), whole_row);
        for (std::uint32_t row = 0; row < whole.vertices.size(); ++row) whole_row[whole.vertices[row]] = row;
    });
}

/// The rows of a region and their ancestors in the elimination tree, ascending.
std::vector<std::uint32_t> LocalSmoother::State::wholeRows(const std::vector<std::uint32_t>& region) const {
    std::vector<bool> taken(whole.vertices.size());
    for (const std::uint32_t v : region)
        for (std::uint32_t row = whole_row[v]; !taken[row];) {
            taken[row] = true;
            const int first = whole.factor.offsets[row];
            if (first < whole.factor.offsets[row + 1]) row = std::uint32_t(whole.factor.rows[first]);
        }
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < taken.size(); ++row)
        if (taken[row]) rows.push_back(row);
    return rows;
}

/// Whether the last channel is still above the cutoff somewhere at the boundary of the result, next to free vertices
/// that were left out.
bool LocalSmoother::State::rimAbove(const SparseChannels& result, double cutoff) const {
    std::vector<bool> inside(laplacian.vertexCount());
    for (const std::uint32_t v : result.vertices) inside[v] = true;
    for (std::size_t i = 0; i < result.vertices.size(); ++i) {
        if (result.values[(i + 1) * result.width - 1] <= 4 * cutoff) continue;
        for (const std::uint32_t n : laplacian.edges.of(result.vertices[i]))
            if (!inside[n] && !frozen(n)) return true;
    }
    return false;
}

namespace {

/// Returns some rows (by default all) as a result; frozen vertices of the input keep their values.
SparseChannels gather(const SparseChannels& input, const std::vector<std::uint32_t>& vertices,
                      const std::vector<double>& x, const std::vector<std::uint32_t>& kept,
                      std::span<const std::uint32_t> rows = {}) {
    const std::size_t width = input.width;
    struct Source {
        std::uint32_t vertex;
        const double* row;
    };
    std::vector<Source> sources;
    if (rows.empty())
        for (std::size_t i = 0; i < vertices.size(); ++i) sources.push_back({vertices[i], x.data() + i * width});
    for (const std::uint32_t row : rows) sources.push_back({vertices[row], x.data() + row * width});
    for (const std::uint32_t i : kept) sources.push_back({input.vertices[i], input.values.data() + i * width});
    std::sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) { return a.vertex < b.vertex; });
    SparseChannels result{width, {}, {}};
    result.vertices.reserve(sources.size());
    result.values.reserve(sources.size() * width);
    for (const Source& s : sources) {
        result.vertices.push_back(s.vertex);
        result.values.insert(result.values.end(), s.row, s.row + width);
    }
    return result;
}

}  // namespace

SparseChannels LocalSmoother::State::smoothByProducts(const SparseChannels& input,
                                                      const std::vector<std::uint32_t>& region,
                                                      const std::vector<double>& coefficients, double strongest) const {
    const std::size_t width = input.width;
    std::vector<std::uint32_t> row_of(laplacian.vertexCount(), kNoRow);
    for (std::uint32_t row = 0; row < region.size(); ++row) row_of[region[row]] = row;
    std::vector<double> x(region.size() * width, 0.0);
    std::vector<std::uint32_t> kept;
    for (std::uint32_t i = 0; i < input.vertices.size(); ++i) {
        const std::uint32_t row = row_of[input.vertices[i]];
        if (row == kNoRow)
            kept.push_back(i);
        else
            std::copy_n(input.values.data() + i * width, width, x.data() + row * width);
    }

    // A / max D - I, with eigenvalues in [-1, 1].
    const double most = strengthOf(stepOf(strongest));
    SparseRows a;
    a.offsets.push_back(0);
    for (const std::uint32_t v : region) {
        const double k = strength[v] / most;
        a.diagonal.push_back(k - 1);
        for (std::size_t e = laplacian.edges.offsets[v]; e < laplacian.edges.offsets[v + 1]; ++e) {
            const std::uint32_t n = row_of[laplacian.edges.neighbors[e]];
            if (n == kNoRow) continue;
            a.columns.push_back(n);
            a.values.push_back(-k * laplacian.weights[e] / laplacian.diagonal[v]);
        }
        a.offsets.push_back(std::uint32_t(a.columns.size()));
    }
    applyChebyshev(a, coefficients, x, width);
    return gather(input, region, x, kept);
}

/// Performs the steps at some rows of a factorization, ascending; `x` initially contains the input there.
void LocalSmoother::State::step(const LocalFactor& local, const SparseChannels& input,
                                std::span<const std::uint32_t> rows, std::vector<double>& x, int iterations) const {
    const std::size_t width = input.width;
    std::vector<double> pull(local.pulls.empty() ? 0 : x.size(), 0.0);
    for (const LocalFactor::Pull& p : local.pulls) {
        const std::uint32_t v = local.frozen[p.frozen];
        const auto at = std::lower_bound(input.vertices.begin(), input.vertices.end(), v);
        if (at == input.vertices.end() || *at != v) continue;
        const double* row = input.values.data() + std::size_t(at - input.vertices.begin()) * width;
        for (std::size_t c = 0; c < width; ++c) pull[p.row * width + c] += p.weight * row[c];
    }
    for (int i = 0; i < iterations; ++i) {
        for (const std::uint32_t row : rows)
            for (std::size_t c = 0; c < width; ++c) x[row * width + c] *= local.scale[row];
        if (!pull.empty())
            for (const std::uint32_t row : rows)
                for (std::size_t c = 0; c < width; ++c) x[row * width + c] += pull[row * width + c];
        sweep(local.factor, rows, x.data(), width);
    }
}

SparseChannels LocalSmoother::State::smoothImplicit(const SparseChannels& input, std::vector<std::uint32_t> region,
                                                    int iterations) const {
    const std::size_t width = input.width;
    const bool wide = kWide * region.size() > free_count;
    LocalFactor own;
    std::vector<std::uint32_t> rows, own_row;
    if (wide) {
        factorizeWhole();
        rows = wholeRows(region);
    } else {
        own_row.assign(laplacian.vertexCount(), kNoRow);
        own = factorize(laplacian, strength, std::move(region), own_row);
        rows.resize(own.vertices.size());
        std::iota(rows.begin(), rows.end(), 0u);
        for (const std::uint32_t row : rows) own_row[own.vertices[row]] = row;
    }
    const LocalFactor& local = wide ? whole : own;
    const std::vector<std::uint32_t>& row_of = wide ? whole_row : own_row;

    std::vector<double> x(local.vertices.size() * width, 0.0);
    std::vector<std::uint32_t> kept;
    for (std::uint32_t i = 0; i < input.vertices.size(); ++i) {
        const std::uint32_t row = row_of[input.vertices[i]];
        if (row == kNoRow)
            kept.push_back(i);
        else
            std::copy_n(input.values.data() + i * width, width, x.data() + row * width);
    }
    step(local, input, rows, x, iterations);
    return gather(input, local.vertices, x, kept, rows);
}

SparseChannels LocalSmoother::State::smoothExplicit(const SparseChannels& input, std::vector<std::uint32_t> region,
                                                    int iterations) const {
    const std::size_t width = input.width;
    // Fixed vertices are rows that do not change, after the free ones.
    std::vector<std::uint32_t> row_of(laplacian.vertexCount(), kNoRow), kept;
    std::vector<std::uint32_t> rows = region;
    for (std::uint32_t i = 0; i < input.vertices.size(); ++i)
        if (frozen(input.vertices[i])) {
            kept.push_back(i);
            rows.push_back(input.vertices[i]);
        }
    for (std::uint32_t row = 0; row < rows.size(); ++row) row_of[rows[row]] = row;
    std::vector<double> x(rows.size() * width, 0.0);
    for (std::size_t i = 0; i < input.vertices.size(); ++i)
        std::copy_n(input.values.data() + i * width, width, x.data() + row_of[input.vertices[i]] * width);

    std::vector<double> next = x;
    for (int step = 0; step < iterations; ++step) {
        for (std::size_t row = 0; row < region.size(); ++row) {
            const std::uint32_t v = region[row];
            const double pull = strength[v] / laplacian.diagonal[v];
            for (std::size_t c = 0; c < width; ++c) next[row * width + c] = (1 - strength[v]) * x[row * width + c];
            for (std::size_t e = laplacian.edges.offsets[v]; e < laplacian.edges.offsets[v + 1]; ++e) {
                const std::uint32_t n = row_of[laplacian.edges.neighbors[e]];
                if (n == kNoRow) continue;
                const double w = pull * laplacian.weights[e];
                for (std::size_t c = 0; c < width; ++c) next[row * width + c] += w * x[n * width + c];
            }
        }
        std::swap(x, next);
    }
    return gather(input, region, x, kept);
}

void LocalSmoother::prepare() const {
    if (state_->kind == SmoothingKind::implicit) state_->factorizeWhole();
}

SparseChannels LocalSmoother::smooth(const SparseChannels& input, int iterations, double cutoff) const {
    const State& s = *state_;
    if (iterations == 0 || input.vertices.empty()) return input;
    const bool one_edge_a_step = s.kind == SmoothingKind::explicit_;
    SparseChannels result;
    std::size_t explored = std::numeric_limits<std::size_t>::max();
    for (double reach = reachOf(iterations, cutoff);; reach *= 1.3) {
        std::vector<std::uint32_t> region =
            s.region(input.vertices, reach, one_edge_a_step ? iterations : std::numeric_limits<int>::max());
        if (region.size() == explored) break;  // the largest possible region
        explored = region.size();
        const double strongest = s.strongest(region);
        const std::vector<double>& coefficients = s.coefficients(iterations, strongest);
        result = one_edge_a_step        ? s.smoothExplicit(input, std::move(region), iterations)
                 : coefficients.empty() ? s.smoothImplicit(input, std::move(region), iterations)
                                        : s.smoothByProducts(input, region, coefficients, strongest);
        if (result.vertices.size() >= s.free_count || cutoff <= 0 || !s.rimAbove(result, cutoff)) break;
    }
    // Drop values below the cutoff.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < result.vertices.size(); ++i) {
        if (!(result.values[(i + 1) * result.width - 1] > cutoff)) continue;
        result.vertices[kept] = result.vertices[i];
        std::copy_n(result.values.data() + i * result.width, result.width, result.values.data() + kept * result.width);
        ++kept;
    }
    result.vertices.resize(kept);
    result.values.resize(kept * result.width);
    return result;
}

}  // namespace pelt::geometry
