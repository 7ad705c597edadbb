// Ties the residuals of neighboring vertices together, so that faces do not rotate.
#include "edge_ties.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace pelt::fit::ssdr {
namespace {

constexpr double kShortEdge = 0.1;  ///< of the median length: shorter edges count as this long

/// Greedy: assigns each vertex, in order, to the first group without a neighbor of it.
std::vector<std::vector<std::uint32_t>> independentGroups(const geometry::Adjacency& edges) {
    std::vector<std::vector<std::uint32_t>> groups;
    std::vector<std::uint32_t> group(edges.vertexCount()), taken_by;
    for (std::uint32_t v = 0; v < edges.vertexCount(); ++v) {
        taken_by.resize(groups.size() + 1, ~0U);
        for (const std::uint32_t n : edges.of(v))
            if (n < v) taken_by[group[n]] = v;
        group[v] = std::uint32_t(std::find_if(taken_by.begin(), taken_by.end(), [&](auto by) { return by != v; }) -
                                 taken_by.begin());
        if (group[v] == groups.size()) groups.emplace_back();
        groups[group[v]].push_back(v);
    }
    return groups;
}

/// c of every edge: 1 / length².
std::vector<double> strengths(const Trajectories& data, const geometry::Adjacency& edges) {
    std::vector<double> squared(edges.neighbors.size());
    for (std::size_t v = 0; v < data.vertices; ++v)
        for (std::size_t e = edges.offsets[v]; e < edges.offsets[v + 1]; ++e) {
            const Vec3d d = data.rest[v] - data.rest[edges.neighbors[e]];
            squared[e] = dot(d, d);
        }
    if (squared.empty()) return squared;
    std::vector<double> sorted = squared;
    const auto middle = sorted.begin() + std::ptrdiff_t(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double shortest = std::max(kShortEdge * kShortEdge * *middle, std::numeric_limits<double>::min());
    for (double& x : squared) x = 1 / std::max(x, shortest);
    return squared;
}

}  // namespace

EdgeTies tieEdges(const Trajectories& data, std::span<const Triangle> triangles) {
    EdgeTies ties;
    ties.edges = geometry::vertexAdjacency(triangles, data.vertices);
    ties.strength = strengths(data, ties.edges);
    ties.groups = independentGroups(ties.edges);
    ties.products.resize(ties.strength.size());
    std::vector<double> squared(data.vertices);
    parallelFor(data.vertices, kSolveGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v)
            for (std::size_t e = ties.begin(v); e < ties.end(v); ++e) {
                const float *x = data.of(v), *y = data.of(ties.edges.neighbors[e]);
                double product = 0, difference = 0;
                for (std::size_t d = 0; d < data.dimensions(); ++d) {
                    const double a = double(x[d]), b = double(y[d]);
                    product += a * b;
                    difference += (a - b) * (a - b);
                }
                ties.products[e] = product;
                squared[v] += 0.5 * ties.strength[e] * difference;  // each edge is visited from both ends
            }
    });
    for (std::size_t v = 0; v < data.vertices; ++v) ties.own_squared += data.massOf(v) * data.squared[v];
    ties.edge_squared = std::accumulate(squared.begin(), squared.end(), 0.0);
    return ties;
}

void scaleTies(EdgeTies& ties, double factor) {
    for (double& c : ties.strength) c *= factor;
    ties.edge_squared *= factor;
}

}  // namespace pelt::fit::ssdr
