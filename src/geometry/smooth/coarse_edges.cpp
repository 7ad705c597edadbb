// Edges between patches of a surface, A and B with their centers c_A and c_B.
//
// Where three patches meet, their centers form a triangle. W_AB is the mean cotangent of the two angles opposite to AB,
// as on the mesh itself: this is exact for linear functions, however jagged small patches are. If an edge does not have
// two such triangles (boundaries, thin parts), the flux of the mesh is used: for x = g·u, the sum over the edges vw
// that cross from A to B is Σ w_vw (x_w - x_v) = F·g with F = Σ w_vw (u_w - u_v). With d = c_B - c_A, the weight W_AB =
// F·d / d·d gives the same flux W_AB d·g, except for the component of F perpendicular to d.
#include "coarse_edges.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pelt::geometry {
namespace {

/// The border between a patch and another one.
struct Border {
    std::uint32_t other;
    Vec3d flux;                             ///< F
    std::array<std::uint32_t, 2> thirds{};  ///< patches that share a corner with both
    std::size_t third_count = 0;            ///< if there are more than two, only their number matters

    void meet(std::uint32_t patch) {
        const auto end = thirds.begin() + std::ptrdiff_t(std::min<std::size_t>(third_count, 2));
        if (std::find(thirds.begin(), end, patch) != end) return;
        if (third_count < 2) thirds[third_count] = patch;
        ++third_count;
    }
};

/// The patches that touch both v and its neighbor n, which belong to two different patches.
void meetThirds(const Adjacency& edges, const Clusters& clusters, std::uint32_t v, std::uint32_t n, Border& border) {
    const std::uint32_t a = clusters.cluster_of[v], b = clusters.cluster_of[n];
    const auto near = edges.of(v);
    for (const std::uint32_t m : edges.of(n)) {
        const std::uint32_t c = clusters.cluster_of[m];
        if (c != a && c != b && std::find(near.begin(), near.end(), m) != near.end()) border.meet(c);
    }
}

double weightOf(const Border& border, const Clusters& clusters, std::size_t a) {
    const Vec3d &from = clusters.centers[a], &to = clusters.centers[border.other];
    if (border.third_count == 2) {
        double sum = 0;
        for (const std::uint32_t c : border.thirds) {
            const Vec3d p = from - clusters.centers[c], q = to - clusters.centers[c];
            sum += dot(p, q) / length(cross(p, q));
        }
        if (std::isfinite(sum)) return std::max(0.0, 0.5 * sum);
    }
    const double squared = dot(to - from, to - from);
    return squared > 0 ? std::max(0.0, dot(border.flux, to - from) / squared) : 0;
}

/// Edges between patches, as found from one of the two.
struct Rim {
    std::vector<std::uint32_t> others;  ///< ascending
    std::vector<double> weights;
};

Rim rimOf(const Laplacian& laplacian, std::span<const Vec3f> positions, const Clusters& clusters, std::size_t a) {
    const Adjacency& edges = laplacian.edges;
    std::vector<Border> borders;
    for (const std::uint32_t v : clusters.of(a))
        for (std::size_t e = edges.offsets[v]; e < edges.offsets[v + 1]; ++e) {
            const std::uint32_t n = edges.neighbors[e], b = clusters.cluster_of[n];
            if (b == a) continue;
            auto found = std::find_if(borders.begin(), borders.end(), [&](const Border& x) { return x.other == b; });
            if (found == borders.end()) found = borders.insert(found, {b, {}});
            found->flux += (Vec3d(positions[n]) - Vec3d(positions[v])) * laplacian.weights[e];
            meetThirds(edges, clusters, v, n, *found);
        }
    std::sort(borders.begin(), borders.end(), [](const Border& x, const Border& y) { return x.other < y.other; });
    Rim rim;
    for (const Border& border : borders) {
        rim.others.push_back(border.other);
        rim.weights.push_back(weightOf(border, clusters, a));
    }
    return rim;
}

}  // namespace

Laplacian patchLaplacian(const Laplacian& laplacian, std::span<const Vec3f> positions, const Clusters& clusters) {
    std::vector<Rim> rims(clusters.count());
    parallelFor(rims.size(), kSolveGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t a = first; a < last; ++a) rims[a] = rimOf(laplacian, positions, clusters, a);
    });
    Laplacian result;
    for (std::uint32_t a = 0; a < rims.size(); ++a) {
        double sum = 0;
        for (std::size_t k = 0; k < rims[a].others.size(); ++k) {
            const std::uint32_t b = rims[a].others[k];
            double weight = rims[a].weights[k];
            if (b < a) {
                const Rim& other = rims[b];
                weight = other.weights[std::size_t(std::lower_bound(other.others.begin(), other.others.end(), a) -
                                                   other.others.begin())];
            }
            result.edges.neighbors.push_back(b);
            result.weights.push_back(weight);
            sum += weight;
        }
        result.edges.offsets.push_back(std::uint32_t(result.edges.neighbors.size()));
        result.diagonal.push_back(sum);
    }
    return result;
}

}  // namespace pelt::geometry
