// One implicit step in one dimension has the kernel exp(-|s|/a) / 2a, whose moment generating function is 1 / (1 -
// a²t²). The saddle point approximation gives the part of a function that p steps carry beyond a distance s: with the
// cumulant generating function K(t) = -p ln(1 - t²) in units of a, it is exp(K - t s) / (t sqrt(2π K'')) at s = K'(t).
// a² is the τ of the step; without positions, a step of strength k has a ≈ sqrt(k)/2 edges.
#include "local_reach.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <queue>

#include "local_factor.h"

namespace pelt::geometry {

double reachOf(int iterations, double cutoff) {
    if (cutoff <= 0) return std::numeric_limits<double>::infinity();
    constexpr double kZigzag = 1.1;  // paths along edges are longer than the distance
    double reach = 0;
    for (double t = 0.01; t < 0.995; t += 0.01) {
        const double rest = 1 - t * t, second = 2 * iterations * (1 + t * t) / (rest * rest);
        reach = 2 * iterations * t / rest;
        const double tail =
            -iterations * std::log(rest) - t * reach - std::log(t * std::sqrt(2 * std::numbers::pi * second));
        if (tail <= std::log(cutoff)) break;
    }
    return kZigzag * reach;
}

std::vector<float> edgeLengths(const Laplacian& laplacian, std::span<const double> strength,
                               std::span<const Vec3f> positions) {
    const auto frozen = [&](std::uint32_t v) { return isFrozen(laplacian, strength, v); };
    const Adjacency& edges = laplacian.edges;
    const auto squared = [&](std::uint32_t v, std::size_t e) {
        const Vec3d d = Vec3d(positions[edges.neighbors[e]]) - Vec3d(positions[v]);
        return dot(d, d);
    };
    std::vector<double> spread(positions.size(), 0);  // a = sqrt(τ) with τ = Σ w d² / (4 D_L / k)
    for (std::uint32_t v = 0; v < spread.size(); ++v) {
        if (frozen(v)) continue;
        double sum = 0;
        for (std::size_t e = edges.offsets[v]; e < edges.offsets[v + 1]; ++e)
            sum += laplacian.weights[e] * squared(v, e);
        spread[v] = std::sqrt(std::max(0.0, sum * strength[v] / (4 * laplacian.diagonal[v])));
    }
    std::vector<float> result(edges.neighbors.size(), 0.0f);
    for (std::uint32_t v = 0; v < laplacian.vertexCount(); ++v)
        for (std::size_t e = edges.offsets[v]; e < edges.offsets[v + 1]; ++e) {
            const std::uint32_t n = edges.neighbors[e];
            if (frozen(n)) continue;
            const double k = frozen(v) ? strength[n] : (strength[n] + strength[v]) / 2;
            result[e] = float(2 / std::sqrt(k));
            if (positions.empty()) continue;
            const double a = frozen(v) ? spread[n] : (spread[n] + spread[v]) / 2;
            if (a > 0) result[e] = float(std::sqrt(squared(v, e)) / a);
        }
    return result;
}

std::vector<std::uint32_t> verticesWithin(const Laplacian& laplacian, std::span<const double> strength,
                                          std::span<const float> lengths, std::span<const std::uint32_t> from,
                                          double reach, int hops) {
    const auto frozen = [&](std::uint32_t v) { return isFrozen(laplacian, strength, v); };
    struct Front {
        float distance;
        std::uint32_t vertex;
        int hops;
        bool operator<(const Front& o) const {
            return distance != o.distance ? distance > o.distance : vertex > o.vertex;
        }
    };
    std::vector<float> distance(laplacian.vertexCount(), std::numeric_limits<float>::infinity());
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
        if (!frozen(front.vertex)) found.push_back(front.vertex);
        if (front.hops == hops || (front.distance > 0 && frozen(front.vertex))) continue;
        for (std::size_t e = laplacian.edges.offsets[front.vertex]; e < laplacian.edges.offsets[front.vertex + 1];
             ++e) {
            const std::uint32_t n = laplacian.edges.neighbors[e];
            if (frozen(n)) continue;
            const float next = front.distance + lengths[e];
            if (next >= distance[n] || next > reach) continue;
            distance[n] = next;
            queue.push({next, n, front.hops + 1});
        }
    }
    return found;
}

}  // namespace pelt::geometry
