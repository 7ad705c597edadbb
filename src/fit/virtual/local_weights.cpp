// Finds the weights of vertices over many bones, of which only a few are near each vertex.
#include "local_weights.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <numeric>

#include "fit/decompose/ssdr_kernel.h"

namespace pelt::fit::virtual_bones {
namespace {

constexpr std::size_t kRankingPoses = 24;    ///< poses in which bones are compared
constexpr std::size_t kNearBones = 16;       ///< candidates that each vertex brings to its group
constexpr std::size_t kMostCandidates = 48;  ///< of a group
constexpr double kLeastLocalWeight = 1e-3;   ///< smaller weights are dropped unless they matter

using ssdr::BoneProducts;
using Weights = ssdr::SimplexSolver::Weights;

/// The poses in which bones are compared, evenly spaced.
std::vector<std::size_t> rankingPoses(std::size_t frames) {
    const std::size_t count = std::min(kRankingPoses, frames);
    std::vector<std::size_t> poses;
    for (std::size_t i = 0; i < count; ++i) poses.push_back((2 * i + 1) * frames / (2 * count));
    return poses;
}

void updateResidual(const ssdr::Trajectories& data, const ssdr::Motions& motions, std::size_t vertex,
                    const Weights& weights, float* out) {
    const Vec3d& p = data.rest[vertex];
    const std::size_t columns = motions.columns();
    for (std::size_t d = 0; d < data.dimensions(); ++d) {
        double x = -double(data.of(vertex)[d]);
        for (std::size_t i = 0; i < weights.bones.size(); ++i) {
            const double* m = motions.m.data() + d * columns + 4 * weights.bones[i];
            x += weights.values[i] * (m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3]);
        }
        out[d] = float(x);
    }
}

}  // namespace

LocalWeights::LocalWeights(const ssdr::Trajectories& data, const ssdr::Motions& motions, std::size_t influences)
    : data_(data), motions_(motions), influences_(influences) {
    rank();
    const auto gathers = [&](std::size_t first, std::size_t last) {
        for (std::size_t g = first; g < last; ++g) gather(groups_[g]);
    };
    parallelFor(groups_.size(), 1, gathers);
}

/// Groups the vertices by the bone that fits best, and collects the candidates of each group.
void LocalWeights::rank() {
    const std::vector<std::size_t> poses = rankingPoses(data_.frames);
    const std::size_t bones = motions_.bones, columns = motions_.columns(), dimensions = 3 * poses.size();
    std::vector<double> m(dimensions * columns), diagonal(BoneProducts::kTerms * bones, 0.0);
    for (std::size_t d = 0; d < dimensions; ++d) {
        const double* from = motions_.m.data() + (3 * poses[d / 3] + d % 3) * columns;
        std::copy_n(from, columns, m.data() + d * columns);
        for (std::size_t j = 0; j < bones; ++j) {
            std::size_t term = 0;
            for (std::size_t a = 0; a < 4; ++a)
                for (std::size_t b = a; b < 4; ++b, ++term)
                    diagonal[term * bones + j] += (a == b ? 1 : 2) * from[4 * j + a] * from[4 * j + b];
        }
    }
    group_of_.resize(data_.vertices);
    const std::size_t near = std::min(kNearBones, bones);
    std::vector<std::uint32_t> nearest(data_.vertices * near);
    parallelFor(data_.vertices, kSolveGrain, [&](std::size_t first, std::size_t last) {
        std::vector<float> rows((last - first) * dimensions);
        for (std::size_t v = first; v < last; ++v)
            for (std::size_t d = 0; d < dimensions; ++d)
                rows[(v - first) * dimensions + d] = data_.of(v)[3 * poses[d / 3] + d % 3];
        std::vector<double> projected((last - first) * columns), alone(bones);
        ssdr::multiplyRows(rows.data(), last - first, dimensions, m.data(), columns, projected.data());
        std::vector<std::uint32_t> order(bones);
        for (std::size_t v = first; v < last; ++v) {
            double terms[BoneProducts::kTerms];
            const Vec3d& p = data_.rest[v];
            ssdr::quadraticTerms(p, terms);
            for (std::size_t j = 0; j < bones; ++j) {
                const double* y = projected.data() + (v - first) * columns + 4 * j;
                alone[j] = -2 * (p.x * y[0] + p.y * y[1] + p.z * y[2] + y[3]);
            }
            for (std::size_t term = 0; term < BoneProducts::kTerms; ++term)
                for (std::size_t j = 0; j < bones; ++j) alone[j] += terms[term] * diagonal[term * bones + j];
            std::iota(order.begin(), order.end(), 0u);
            std::partial_sort(
                order.begin(), order.begin() + std::ptrdiff_t(near), order.end(),
                [&](std::uint32_t a, std::uint32_t b) { return alone[a] != alone[b] ? alone[a] < alone[b] : a < b; });
            std::copy_n(order.begin(), near, nearest.begin() + std::ptrdiff_t(v * near));
            group_of_[v] = order.front();
        }
    });
    groups_.resize(bones);
    std::vector<std::vector<std::uint32_t>> votes(bones);
    for (std::uint32_t v = 0; v < data_.vertices; ++v) {
        groups_[group_of_[v]].vertices.push_back(v);
        std::vector<std::uint32_t>& vote = votes[group_of_[v]];
        vote.resize(bones, 0);
        for (std::size_t n = 0; n < near; ++n) vote[nearest[v * near + n]] += std::uint32_t(near - n);
    }
    for (std::size_t g = 0; g < bones; ++g) {
        std::vector<std::uint32_t>& chosen = groups_[g].bones;
        for (std::uint32_t j = 0; j < votes[g].size(); ++j)
            if (votes[g][j] > 0) chosen.push_back(j);
        std::stable_sort(chosen.begin(), chosen.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return votes[g][a] > votes[g][b]; });
        if (chosen.size() > kMostCandidates) chosen.resize(kMostCandidates);
        std::sort(chosen.begin(), chosen.end());
    }
}

/// The motions and products of the candidates.
void LocalWeights::gather(Group& group) const {
    group.motions.bones = group.bones.size();
    group.motions.frames = data_.frames;
    group.motions.m.resize(data_.dimensions() * 4 * group.bones.size());
    for (std::size_t d = 0; d < data_.dimensions(); ++d)
        for (std::size_t b = 0; b < group.bones.size(); ++b)
            std::copy_n(motions_.m.data() + d * motions_.columns() + 4 * group.bones[b], 4,
                        group.motions.m.data() + (d * group.bones.size() + b) * 4);
    group.products = ssdr::productsOf(group.motions);
}

void LocalWeights::solveSome(const Group& group, std::span<const std::uint32_t> vertices, const ssdr::EdgeTies* ties,
                             bool chooses, std::vector<float>* residuals, ssdr::VertexWeights& weights) const {
    const std::size_t dimensions = data_.dimensions(), columns = group.motions.columns();
    std::vector<float> rows;
    rows.reserve(vertices.size() * dimensions);
    std::vector<double> squared, pulled(dimensions);
    for (const std::uint32_t v : vertices) {
        const float* x = data_.of(v);
        if (!ties) {
            rows.insert(rows.end(), x, x + dimensions);
            squared.push_back(data_.squared[v]);
            continue;
        }
        std::fill(pulled.begin(), pulled.end(), 0.0);
        double tied = data_.massOf(v);
        for (std::size_t e = ties->begin(v); e < ties->end(v); ++e) {
            const float* other = residuals->data() + ties->edges.neighbors[e] * dimensions;
            const double strength = ties->strength[e];
            for (std::size_t d = 0; d < dimensions; ++d) pulled[d] += strength * double(other[d]);
            tied += strength;
        }
        double sum = 0;
        for (std::size_t d = 0; d < dimensions; ++d) {
            const double target = double(x[d]) + pulled[d] / tied;
            rows.push_back(float(target));
            sum += double(rows.back()) * double(rows.back());
        }
        squared.push_back(sum);
    }
    std::vector<double> projected(vertices.size() * columns);
    ssdr::multiplyRows(rows.data(), vertices.size(), dimensions, group.motions.m.data(), columns, projected.data());
    ssdr::SimplexSolver solver(group.products, kLeastLocalWeight);
    std::vector<std::int32_t> local(motions_.bones, -1);
    for (std::size_t b = 0; b < group.bones.size(); ++b) local[group.bones[b]] = std::int32_t(b);
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const std::uint32_t v = vertices[i];
        Weights start, found;
        double lost = 0;
        for (std::size_t w = 0; w < weights[v].bones.size(); ++w) {
            if (local[weights[v].bones[w]] < 0) {
                lost += weights[v].values[w];
                continue;
            }
            start.bones.push_back(std::uint32_t(local[weights[v].bones[w]]));
            start.values.push_back(weights[v].values[w]);
        }
        for (double& value : start.values) value /= 1 - lost;
        if (start.bones.empty() || lost > 0.5) start = {};
        const double* own = projected.data() + i * columns;
        if (chooses || start.bones.empty()) {
            solver.setVertex(data_.rest[v], own, squared[i]);
            solver.solve(start, influences_, found);
        } else {
            solver.setVertex(data_.rest[v], own, squared[i], start.bones);
            solver.resolve(start, found);
        }
        for (std::uint32_t& bone : found.bones) bone = group.bones[bone];
        weights[v] = std::move(found);
        if (residuals) updateResidual(data_, motions_, v, weights[v], residuals->data() + v * dimensions);
    }
}

void LocalWeights::solve(ssdr::VertexWeights& weights) const {
    struct Task {
        std::uint32_t group;
        std::size_t first, last;
    };
    std::vector<Task> tasks;
    for (std::uint32_t g = 0; g < groups_.size(); ++g)
        for (std::size_t first = 0; first < groups_[g].vertices.size(); first += kSolveGrain)
            tasks.push_back({g, first, std::min(first + kSolveGrain, groups_[g].vertices.size())});
    parallelFor(tasks.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t t = first; t < last; ++t) {
            const Group& group = groups_[tasks[t].group];
            solveSome(group, {group.vertices.data() + tasks[t].first, tasks[t].last - tasks[t].first}, nullptr, true,
                      nullptr, weights);
        }
    });
}

void LocalWeights::sweep(const ssdr::EdgeTies& ties, bool chooses, std::vector<float>& residuals,
                         ssdr::VertexWeights& weights) const {
    for (const std::vector<std::uint32_t>& color : ties.groups) {
        std::vector<std::uint32_t> order = color;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return group_of_[a] < group_of_[b]; });
        std::vector<std::size_t> ends;
        for (std::size_t i = 1; i <= order.size(); ++i)
            if (i == order.size() || group_of_[order[i]] != group_of_[order[i - 1]] ||
                i - (ends.empty() ? 0 : ends.back()) == kSolveGrain)
                ends.push_back(i);
        parallelFor(ends.size(), 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t t = first; t < last; ++t) {
                const std::size_t begin = t == 0 ? 0 : ends[t - 1];
                solveSome(groups_[group_of_[order[begin]]], {order.data() + begin, ends[t] - begin}, &ties, chooses,
                          &residuals, weights);
            }
        });
    }
}

std::vector<float> residualsOf(const ssdr::Trajectories& data, const ssdr::Motions& motions,
                               const ssdr::VertexWeights& weights) {
    std::vector<float> residuals(data.values.size());
    parallelFor(data.vertices, kSolveGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v)
            updateResidual(data, motions, v, weights[v], residuals.data() + v * data.dimensions());
    });
    return residuals;
}

}  // namespace pelt::fit::virtual_bones
