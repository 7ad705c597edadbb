// Smoothing of functions with small support. How far p steps reach is bounded beforehand: one implicit step in one
// dimension has the kernel exp(-|s|/a) / 2a, whose moment generating function is 1 / (1 - a²t²); by Chernoff's bound
// what p steps carry beyond a distance s is at most min_t exp(-t s) (1 - a²t²)^-p. On the graph of a mesh a step of
// strength k has a ≈ sqrt(k)/2 edges, so edges count 2/sqrt(k) and a shortest path search finds the region. Values at
// its rim are checked afterwards, and it grows where they are still too large.
//
// p implicit steps are (1 + x)^-p of A = D D_L^-1 L, whose eigenvalues lie in [0, 2 max D] as those of D_L^-1 L lie in
// [0, 2]. Where the strengths are small a polynomial of low degree is that function to the last digits, and a few
// products with a sparse matrix cost less than a factorisation and its sweeps.
#include <pelt/core/error.h>
#include <pelt/geometry/local_smoothing.h>

// clang-format off
#include <iostream>  // before Eigen/MetisSupport, which uses std::cerr without including it
// clang-format on
#include <Eigen/MetisSupport>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <numbers>
#include <queue>

#include "chebyshev_kernel.h"
#include "local_factor.h"

namespace pelt::geometry {
namespace {

constexpr float kUnreached = std::numeric_limits<float>::infinity();

/// METIS draws from the C library's global random numbers after seeding them: one call at a time, or two threads
/// would disturb each other's orderings and with them the last bits of the results.
std::mutex ordering_mutex;

/// METIS takes SIGTERM and SIGABRT while it works and puts them back without their flags and masks. SIGTERM stays
/// blocked in the calling thread meanwhile: METIS's handler would jump out of whatever is going on, malloc included. A
/// program with more threads has to block it in those as well.
class SignalActionsKept {
public:
    SignalActionsKept() {
        sigset_t ending;
        ::sigemptyset(&ending);
        ::sigaddset(&ending, SIGTERM);
        ::pthread_sigmask(SIG_BLOCK, &ending, &mask_);
        ::sigaction(SIGTERM, nullptr, &terminate_);
        ::sigaction(SIGABRT, nullptr, &abort_);
    }
    ~SignalActionsKept() {
        ::sigaction(SIGTERM, &terminate_, nullptr);
        ::sigaction(SIGABRT, &abort_, nullptr);
        ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
    }
    SignalActionsKept(const SignalActionsKept&) = delete;
    SignalActionsKept& operator=(const SignalActionsKept&) = delete;

private:
    sigset_t mask_{};
    struct sigaction terminate_ {
    }, abort_{};
};

/// Beyond this distance (in units of the kernel's a) p steps carry less than `cutoff`.
double reachOf(int iterations, double cutoff) {
    if (cutoff <= 0) return std::numeric_limits<double>::infinity();
    double best = std::numeric_limits<double>::infinity();
    for (double t = 0.02; t < 1; t += 0.02)
        best = std::min(best, (-std::log(cutoff) - iterations * std::log(1 - t * t)) / t);
    return best;
}

/// Products with the sparse matrix that cost as much as one implicit step: a row of the factor has some five times the
/// entries of a row of the matrix, every step reads it twice, and the factor has to be made.
constexpr int kProductsPerStep = 8;
constexpr int kMostProducts = 512;  ///< beyond, finding the polynomial would cost more than it saves

std::size_t productLimit(int iterations) {
    return std::size_t(std::min(std::int64_t(kProductsPerStep) * iterations, std::int64_t(kMostProducts)));
}

/// Chebyshev coefficients of (1 + x)^-iterations over [0, end], down to `tolerance`; empty where they are more than
/// `limit`.
std::vector<double> powerCoefficients(int iterations, double end, double tolerance, std::size_t limit) {
    const std::size_t samples = 2 * limit;
    std::vector<double> at(samples), coefficients;
    for (std::size_t j = 0; j < samples; ++j)
        at[j] =
            std::pow(1 + end / 2 * (1 + std::cos((double(j) + 0.5) * std::numbers::pi / double(samples))), -iterations);
    for (std::size_t k = 0; k < limit; ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < samples; ++j)
            sum += at[j] * std::cos(double(k) * (double(j) + 0.5) * std::numbers::pi / double(samples));
        coefficients.push_back(sum * (k == 0 ? 1.0 : 2.0) / double(samples));
        if (k > 1 && std::abs(coefficients[k]) < tolerance && std::abs(coefficients[k - 1]) < tolerance)
            return coefficients;
    }
    return {};
}

}  // namespace

std::vector<std::uint32_t> eliminationOrder(const Laplacian& laplacian) {
    const std::size_t count = laplacian.vertexCount();
    std::vector<std::uint32_t> order(count);
    if (laplacian.edges.neighbours.empty()) {
        for (std::uint32_t v = 0; v < count; ++v) order[v] = v;
        return order;
    }
    std::vector<int> outer(laplacian.edges.offsets.begin(), laplacian.edges.offsets.end());
    std::vector<int> inner(laplacian.edges.neighbours.begin(), laplacian.edges.neighbours.end());
    std::vector<int> forward(count), backward(count);
    int size = int(count);
    const std::lock_guard lock(ordering_mutex);
    const SignalActionsKept kept;
    const int status =
        METIS_NodeND(&size, outer.data(), inner.data(), nullptr, nullptr, forward.data(), backward.data());
    if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
    if (status != METIS_OK) throw Error::badInput("the mesh's edges cannot be ordered for solving");
    for (std::size_t v = 0; v < count; ++v) order[std::size_t(backward[v])] = std::uint32_t(v);
    return order;
}

namespace {

bool isFrozen(const Laplacian& laplacian, std::span<const double> strength, std::uint32_t v) {
    return strength[v] == 0 || laplacian.diagonal[v] == 0;
}

/// Whether a vertex that keeps its values pulls on one that does not: no polynomial of the matrix does that.
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
    return most == 0 || !powerCoefficients(iterations, 2 * most, tolerance, productLimit(iterations)).empty();
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
    mutable std::mutex coefficients_mutex;
    mutable std::map<std::pair<int, int>, std::vector<double>> coefficients_of;  ///< by iterations and stepOf(end)
    mutable std::once_flag whole_once;
    mutable LocalFactor whole;  ///< of all free vertices, made when a function reaches most of them

    State(const Laplacian& l, std::span<const std::uint32_t> o, SmoothingKind k, std::span<const double> s, double t)
        : laplacian(l), order(o), kind(k), strength(s), rank(l.vertexCount()), tolerance(t) {}

    bool frozen(std::uint32_t v) const { return isFrozen(laplacian, strength, v); }

    std::vector<std::uint32_t> region(const std::vector<std::uint32_t>& from, double reach, int hops) const;
    std::vector<std::uint32_t> allFree() const;
    double strongest(const std::vector<std::uint32_t>& region) const;
    const std::vector<double>& coefficients(int iterations, double strongest) const;
    bool rimAbove(const SparseChannels& result, const std::vector<std::uint32_t>& region, double cutoff) const;
    SparseChannels smoothByProducts(const SparseChannels& input, const std::vector<std::uint32_t>& region,
                                    const std::vector<double>& coefficients, double strongest) const;
    SparseChannels smoothImplicit(const SparseChannels& input, std::vector<std::uint32_t> region, int iterations) const;
    SparseChannels smoothExplicit(const SparseChannels& input, std::vector<std::uint32_t> region, int iterations) const;
};

LocalSmoother::LocalSmoother(const Laplacian& laplacian, std::span<const std::uint32_t> order, SmoothingKind kind,
                             std::span<const double> strength, double tolerance)
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
}

LocalSmoother::~LocalSmoother() = default;
LocalSmoother::LocalSmoother(LocalSmoother&&) noexcept = default;

/// The free vertices within reach of a function, nearest in the order of elimination first. `hops` bounds the number of
/// edges (explicit steps carry no farther than one edge each).
std::vector<std::uint32_t> LocalSmoother::State::region(const std::vector<std::uint32_t>& from, double reach,
                                                        int hops) const {
    struct Front {
        float distance;
        std::uint32_t vertex;
        int hops;
        bool operator<(const Front& o) const {
            return distance != o.distance ? distance > o.distance : vertex > o.vertex;
        }
    };
    std::vector<float> distance(laplacian.vertexCount(), kUnreached);
    std::priority_queue<Front> queue;
    for (const std::uint32_t v : from) {
        distance[v] = 0;
        queue.push({0, v, 0});
    }
    std::vector<std::uint32_t> found;
    while (!queue.empty()) {
        const Front front = queue.top();
        queue.pop();
        if (front.distance > distance[front.vertex]) continue;
        if (!frozen(front.vertex)) found.push_back(rank[front.vertex]);
        if (front.hops == hops || (front.distance > 0 && frozen(front.vertex))) continue;
        for (const std::uint32_t n : laplacian.edges.of(front.vertex)) {
            if (frozen(n)) continue;
            const double k = frozen(front.vertex) ? strength[n] : (strength[n] + strength[front.vertex]) / 2;
            const float next = front.distance + float(2 / std::sqrt(k));
            if (next >= distance[n] || next > reach) continue;
            distance[n] = next;
            queue.push({next, n, front.hops + 1});
        }
    }
    std::sort(found.begin(), found.end());
    for (std::uint32_t& v : found) v = order[v];
    return found;
}

/// The next power of the fourth root of 2 from there, so that few polynomials serve all regions.
int stepOf(double strongest) { return int(std::ceil(4 * std::log2(strongest))); }
double strengthOf(int step) { return std::exp2(step / 4.0); }

double LocalSmoother::State::strongest(const std::vector<std::uint32_t>& region) const {
    double most = 0;
    for (const std::uint32_t v : region) most = std::max(most, strength[v]);
    return most;
}

/// Of the polynomial for so many implicit steps; none where a factorisation is cheaper, or frozen vertices pull.
const std::vector<double>& LocalSmoother::State::coefficients(int iterations, double strongest) const {
    static const std::vector<double> kNone;
    if (kind != SmoothingKind::implicit || pulls || strongest == 0) return kNone;
    const std::lock_guard lock(coefficients_mutex);
    const auto [at, fresh] = coefficients_of.try_emplace({iterations, stepOf(strongest)});
    if (fresh)
        at->second =
            powerCoefficients(iterations, 2 * strengthOf(stepOf(strongest)), tolerance, productLimit(iterations));
    return at->second;
}

std::vector<std::uint32_t> LocalSmoother::State::allFree() const {
    std::vector<std::uint32_t> all;
    for (const std::uint32_t v : order)
        if (!frozen(v)) all.push_back(v);
    return all;
}

/// Whether the last channel is still above the cutoff somewhere at the rim of the region, beside free vertices that
/// were left out.
bool LocalSmoother::State::rimAbove(const SparseChannels& result, const std::vector<std::uint32_t>& region,
                                    double cutoff) const {
    std::vector<bool> inside(laplacian.vertexCount());
    for (const std::uint32_t v : region) inside[v] = true;
    for (std::size_t i = 0; i < result.vertices.size(); ++i) {
        if (result.values[(i + 1) * result.width - 1] <= 4 * cutoff) continue;
        for (const std::uint32_t n : laplacian.edges.of(result.vertices[i]))
            if (!inside[n] && !frozen(n)) return true;
    }
    return false;
}

namespace {

/// Rows of a region as a result: frozen vertices of the input keep their rows.
SparseChannels gather(const SparseChannels& input, const std::vector<std::uint32_t>& region,
                      const std::vector<double>& rows, const std::vector<std::uint32_t>& kept) {
    const std::size_t width = input.width;
    struct Source {
        std::uint32_t vertex;
        const double* row;
    };
    std::vector<Source> sources;
    for (std::size_t i = 0; i < region.size(); ++i) sources.push_back({region[i], rows.data() + i * width});
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
            const std::uint32_t n = row_of[laplacian.edges.neighbours[e]];
            if (n == kNoRow) continue;
            a.columns.push_back(n);
            a.values.push_back(-k * laplacian.weights[e] / laplacian.diagonal[v]);
        }
        a.offsets.push_back(std::uint32_t(a.columns.size()));
    }
    applyChebyshev(a, coefficients, x, width);
    return gather(input, region, x, kept);
}

SparseChannels LocalSmoother::State::smoothImplicit(const SparseChannels& input, std::vector<std::uint32_t> region,
                                                    int iterations) const {
    const std::size_t width = input.width;
    std::vector<std::uint32_t> row_of(laplacian.vertexCount(), kNoRow);
    const bool everywhere = 2 * region.size() > free_count;
    LocalFactor own;
    if (everywhere) {
        std::call_once(whole_once, [&] { whole = factorise(laplacian, strength, allFree(), row_of); });
    } else {
        own = factorise(laplacian, strength, std::move(region), row_of);
    }
    const LocalFactor& local = everywhere ? whole : own;

    for (std::uint32_t row = 0; row < local.vertices.size(); ++row) row_of[local.vertices[row]] = row;
    std::vector<double> x(local.vertices.size() * width, 0.0), pull(local.vertices.size() * width, 0.0);
    std::vector<std::uint32_t> kept;
    std::vector<const double*> frozen_rows(local.frozen.size(), nullptr);
    for (std::uint32_t i = 0; i < input.vertices.size(); ++i) {
        const std::uint32_t v = input.vertices[i];
        const double* row = input.values.data() + i * width;
        if (frozen(v)) {
            kept.push_back(i);
            row_of[v] = i;
        } else {
            std::copy_n(row, width, x.data() + row_of[v] * width);
        }
    }
    for (std::size_t f = 0; f < local.frozen.size(); ++f) {
        const std::uint32_t i = row_of[local.frozen[f]];
        if (i != kNoRow) frozen_rows[f] = input.values.data() + i * width;
    }
    for (const LocalFactor::Pull& p : local.pulls)
        if (const double* row = frozen_rows[p.frozen])
            for (std::size_t c = 0; c < width; ++c) pull[p.row * width + c] += p.weight * row[c];

    for (int i = 0; i < iterations; ++i) {
        for (std::size_t row = 0; row < local.vertices.size(); ++row)
            for (std::size_t c = 0; c < width; ++c)
                x[row * width + c] = local.scale[row] * x[row * width + c] + pull[row * width + c];
        sweep(local.factor, x.data(), width);
    }
    return gather(input, local.vertices, x, kept);
}

SparseChannels LocalSmoother::State::smoothExplicit(const SparseChannels& input, std::vector<std::uint32_t> region,
                                                    int iterations) const {
    const std::size_t width = input.width;
    // Frozen vertices take part as rows that stay, after the free ones.
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
                const std::uint32_t n = row_of[laplacian.edges.neighbours[e]];
                if (n == kNoRow) continue;
                const double w = pull * laplacian.weights[e];
                for (std::size_t c = 0; c < width; ++c) next[row * width + c] += w * x[n * width + c];
            }
        }
        std::swap(x, next);
    }
    return gather(input, region, x, kept);
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
        if (region.size() == explored) break;  // as far as it can go
        explored = region.size();
        const std::vector<std::uint32_t> checked = region;
        const double strongest = s.strongest(region);
        const std::vector<double>& coefficients = s.coefficients(iterations, strongest);
        result = one_edge_a_step        ? s.smoothExplicit(input, std::move(region), iterations)
                 : coefficients.empty() ? s.smoothImplicit(input, std::move(region), iterations)
                                        : s.smoothByProducts(input, region, coefficients, strongest);
        if (result.vertices.size() >= s.free_count || cutoff <= 0 || !s.rimAbove(result, checked, cutoff)) break;
    }
    // Leave out what fell under the cutoff.
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
