// Updates the weights of all vertices while the bones are fixed.
#include "vertex_pass.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <numeric>

#include "ssdr_kernel.h"

namespace pelt::fit::ssdr {
namespace {

/// Σ_j w_j p̃·y_j, y four numbers per bone.
template <class T>
double along(const SimplexSolver::Weights& w, const Vec3d& p, const T* y) {
    double sum = 0;
    for (std::size_t i = 0; i < w.bones.size(); ++i) {
        const T* own = y + 4 * w.bones[i];
        sum += w.values[i] * (p.x * double(own[0]) + p.y * double(own[1]) + p.z * double(own[2]) + double(own[3]));
    }
    return sum;
}

}  // namespace

VertexPass::VertexPass(const Trajectories& data, const EdgeTies& ties, const Motions& motions,
                       const VertexWeights& weights, const Limits& limits, const Progress& progress, double done)
    : data_(data),
      ties_(ties),
      motions_(motions),
      weights_(weights),
      limits_(limits),
      progress_(progress),
      done_(done),
      products_(productsOf(motions)),
      columns_(motions.columns()),
      projected_(data.vertices * columns_),
      residual_(ties.empty() ? 0 : data.vertices * columns_),
      left_(data.vertices) {
    if (!ties.empty()) {
        most_influences_ = limits.influences > 0 ? limits.influences : motions.bones;
        for (const SimplexSolver::Weights& w : weights) most_influences_ = std::max(most_influences_, w.bones.size());
        packed_.resize(data.vertices * most_influences_);
        influences_.resize(data.vertices);
    }
    project();
}

void VertexPass::project() {
    for (std::size_t begin = 0; begin < data_.vertices; begin += kVerticesAtOnce) {
        progress_.report("decompose", done_);
        const std::size_t count = std::min(kVerticesAtOnce, data_.vertices - begin);
        parallelFor(count, kSolveGrain, [&](std::size_t first, std::size_t last) {
            multiplyRows(data_.of(begin + first), last - first, data_.dimensions(), motions_.m.data(), columns_,
                         projected_.data() + (begin + first) * columns_);
            std::vector<double> moved;
            if (!ties_.empty())
                for (std::size_t v = begin + first; v < begin + last; ++v) updateResidual(v, moved);
        });
    }
}

/// Σ_t M_j^T r = Σ_k w_k (Σ_t M_j^T M_k) p̃ - Σ_t M_j^T v, and |r|² = |x|² - 2 x·v + |v|².
void VertexPass::updateResidual(std::size_t vertex, std::vector<double>& moved) {
    const SimplexSolver::Weights& w = weights_[vertex];
    if (w.bones.empty()) return;
    if (!ties_.empty()) pack(vertex);
    const Vec3d& p = data_.rest[vertex];
    const double* own = projected_.data() + vertex * columns_;
    moved.assign(columns_, 0.0);
    for (std::size_t i = 0; i < w.bones.size(); ++i) {
        const double factor[4] = {w.values[i] * p.x, w.values[i] * p.y, w.values[i] * p.z, w.values[i]};
        const double* gram = products_.gram.data() + 4 * w.bones[i] * columns_;
        const auto add = [&](std::size_t first, std::size_t last) {
            for (std::size_t c = first; c < last; ++c)
                moved[c] += factor[0] * gram[c] + factor[1] * gram[columns_ + c] + factor[2] * gram[2 * columns_ + c] +
                            factor[3] * gram[3 * columns_ + c];
        };
        if (ties_.empty())
            for (const std::uint32_t j : w.bones) add(4 * j, 4 * j + 4);
        else
            add(0, columns_);
    }
    left_[vertex] = std::max(along(w, p, moved.data()) - 2 * along(w, p, own) + data_.squared[vertex], 0.0);
    if (ties_.empty()) return;
    float* out = residual_.data() + vertex * columns_;
    for (std::size_t c = 0; c < columns_; ++c) out[c] = float(moved[c] - own[c]);
}

void VertexPass::pack(std::size_t vertex) {
    const SimplexSolver::Weights& w = weights_[vertex];
    const Vec3d& p = data_.rest[vertex];
    Influence* out = packed_.data() + vertex * most_influences_;
    for (std::size_t i = 0; i < w.bones.size(); ++i)
        out[i] = {4 * w.bones[i], w.values[i] * p.x, w.values[i] * p.y, w.values[i] * p.z, w.values[i]};
    influences_[vertex] = std::uint32_t(w.bones.size());
}

/// v_i·r_n for the neighbor n at the other end of an edge.
double VertexPass::alongResidual(std::size_t vertex, std::size_t edge) const {
    const std::uint32_t n = ties_.edges.neighbors[edge];
    const double* own = projected_.data() + vertex * columns_;
    const Influence* first = packed_.data() + n * most_influences_;
    double sum = -ties_.products[edge];
    for (const Influence* i = first; i < first + influences_[n]; ++i) {
        const double* y = own + i->first_column;
        sum += i->px * y[0] + i->py * y[1] + i->pz * y[2] + i->p1 * y[3];
    }
    return sum;
}

VertexPass::Local VertexPass::localOf(std::uint32_t vertex, Reach reach, Worker& worker) const {
    std::vector<double>& pulled = worker.pulled;
    const double* own = projected_.data() + vertex * columns_;
    const double mass = data_.massOf(vertex);
    if (ties_.empty()) return {own, data_.squared[vertex], mass};
    const std::vector<std::uint32_t>& bones = weights_[vertex].bones;
    const auto forColumns = [&](const auto& body) {
        if (reach == Reach::all)
            body(std::size_t(0), columns_);
        else
            for (const std::uint32_t j : bones) body(std::size_t(4 * j), std::size_t(4 * j + 4));
    };
    pulled.resize(columns_);
    forColumns([&](std::size_t first, std::size_t last) { std::fill(&pulled[first], &pulled[last - 1] + 1, 0.0); });
    double tied = 0, constant = 0;
    for (std::size_t e = ties_.begin(vertex); e < ties_.end(vertex); ++e) {
        const std::uint32_t n = ties_.edges.neighbors[e];
        if (influences_[n] == 0) continue;
        const double strength = ties_.strength[e];
        const float* other = residual_.data() + n * columns_;
        forColumns([&](std::size_t first, std::size_t last) {
            for (std::size_t c = first; c < last; ++c) pulled[c] += strength * double(other[c]);
        });
        tied += strength;
        constant += strength * (2 * alongResidual(vertex, e) + left_[n]);
    }
    const double share = mass + tied;
    forColumns([&](std::size_t first, std::size_t last) {
        for (std::size_t c = first; c < last; ++c) pulled[c] = own[c] + pulled[c] / share;
    });
    return {pulled.data(), data_.squared[vertex] + constant / share, share};
}

void VertexPass::run(const std::function<void(std::uint32_t, Worker&)>& body) {
    for (const std::vector<std::uint32_t>& group : ties_.groups)
        for (std::size_t begin = 0; begin < group.size(); begin += kVerticesAtOnce) {
            progress_.report("decompose", done_);
            parallelFor(std::min(kVerticesAtOnce, group.size() - begin), kSolveGrain,
                        [&](std::size_t first, std::size_t last) {
                            Worker worker{SimplexSolver(products_, limits_.least_weight), {}, {}};
                            for (std::size_t i = begin + first; i < begin + last; ++i) {
                                body(group[i], worker);
                                updateResidual(group[i], worker.moved);
                            }
                        });
        }
}

double VertexPass::objective() const {
    std::vector<double> parts(data_.vertices);
    parallelFor(data_.vertices, kSolveGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) {
            parts[v] = data_.massOf(v) * left_[v];
            for (std::size_t e = ties_.begin(v); e < ties_.end(v); ++e) {
                const std::uint32_t n = ties_.edges.neighbors[e];
                if (n < v) continue;
                const double product =
                    along(weights_[v], data_.rest[v], residual_.data() + n * columns_) - alongResidual(v, e);
                parts[v] += ties_.strength[e] * std::max(left_[v] + left_[n] - 2 * product, 0.0);
            }
        }
    });
    return std::accumulate(parts.begin(), parts.end(), 0.0);
}

}  // namespace pelt::fit::ssdr
