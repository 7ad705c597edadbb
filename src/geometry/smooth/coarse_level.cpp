// Wide smoothing on patches of the surface instead of vertices.
//
//   λ_v, D_v   strength and diagonal of vertex v      S_v = D_v / λ_v   its mass in (S + L) x = S x_0
//   A, B       patches (nodes)                        c_A               mean of their members, weighted by S
//
// The initial value of a patch is the mean of its members, x_A = Σ S_v x_v / S_A with S_A = Σ S_v, exact for constants
// and, since the node stands at c_A, for linear functions. Edges between nodes are those of coarse_edges.cpp. The value
// at a vertex is a combination of the nodes near it that reproduces linear functions (moving least squares).
//
// Averaging and interpolation also spread a point: by the variance of a patch, and by that of the combination. Both are
// measured and subtracted from the variance σ² of the smoothing (p steps have 2 p τ in each direction); the remaining
// error is of fourth order in the size of a patch relative to σ.
#include <pelt/core/mat.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/coarse_level.h>

#include <algorithm>
#include <cmath>

#include "coarse_edges.h"

namespace pelt::geometry {
namespace {

constexpr double kSpacing = 0.3;  ///< distance of nodes, in units of σ
constexpr double kBend = 0.15;    ///< radians by which the normal may change from one node to the next
constexpr double kFewer = 3;      ///< a coarse level is used if it has this many times fewer nodes than vertices
constexpr double kKernel = 1.5;   ///< radius of the combination, in units of the distance to the neighboring nodes
constexpr double kLeastShare = 0.3;

struct Fine {
    const Laplacian& laplacian;  ///< without ties
    std::span<const Vec3f> positions;
    std::vector<double> mass;  ///< S; 0 if the vertex is frozen

    bool frozen(std::size_t v) const { return mass[v] == 0; }

    /// σ² in one direction: a step moves a point along an edge with probability w / S.
    double variance(std::size_t v, int iterations) const {
        if (frozen(v)) return 0;
        double sum = 0;
        for (std::size_t e = laplacian.edges.offsets[v]; e < laplacian.edges.offsets[v + 1]; ++e) {
            const Vec3d d = Vec3d(positions[laplacian.edges.neighbors[e]]) - Vec3d(positions[v]);
            sum += laplacian.weights[e] * dot(d, d);
        }
        return iterations * sum / (2 * mass[v]);
    }

    /// How fast the normal changes around v, in radians per length. Creases need small patches: across them, straight
    /// distances differ from those along the surface.
    double curvature(std::size_t v, std::span<const Vec3f> normals) const {
        double turns = 0, lengths = 0;
        for (const std::uint32_t n : laplacian.edges.of(v)) {
            const Vec3d turn = Vec3d(normals[n]) - Vec3d(normals[v]), d = Vec3d(positions[n]) - Vec3d(positions[v]);
            turns += dot(turn, turn);
            lengths += dot(d, d);
        }
        return lengths > 0 ? std::sqrt(turns / lengths) : 0;
    }
};

std::vector<double> masses(const Laplacian& laplacian, std::span<const ExtraEdge> ties,
                           std::span<const double> strength) {
    std::vector<double> mass = laplacian.diagonal;
    for (const ExtraEdge& tie : ties) {
        mass[tie.a] += tie.weight;
        mass[tie.b] += tie.weight;
    }
    for (std::size_t v = 0; v < mass.size(); ++v) mass[v] = strength[v] > 0 ? mass[v] / strength[v] : 0;
    return mass;
}

/// Per patch, the mean distance to its neighbors, averaged with theirs.
std::vector<double> distances(const Adjacency& edges, std::span<const Vec3d> centers) {
    std::vector<double> own(centers.size(), 0), smooth(centers.size());
    for (std::size_t a = 0; a < own.size(); ++a) {
        for (const std::uint32_t b : edges.of(a)) own[a] += length(centers[b] - centers[a]);
        own[a] /= double(std::max<std::size_t>(edges.of(a).size(), 1));
    }
    for (std::size_t a = 0; a < own.size(); ++a) {
        smooth[a] = own[a];
        for (const std::uint32_t b : edges.of(a)) smooth[a] += own[b];
        smooth[a] /= double(edges.of(a).size() + 1);
    }
    return smooth;
}

/// Combines nodes at vertices.
class Combiner {
public:
    Combiner(const Adjacency& edges, std::span<const Vec3d> centers) : edges_(edges), centers_(centers) {}

    /// The nodes that vertices of patch `a` may use: those within two edges.
    void enter(std::uint32_t a) {
        candidates_.assign(1, a);
        for (const std::uint32_t b : edges_.of(a)) {
            candidates_.push_back(b);
            for (const std::uint32_t c : edges_.of(b)) candidates_.push_back(c);
        }
        std::sort(candidates_.begin(), candidates_.end());
        candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
    }

    /// Appends the combination at `point` and returns its variance in one direction.
    double append(std::uint32_t own, const Vec3d& point, double radius, std::vector<std::uint32_t>& nodes,
                  std::vector<double>& weights) {
        near_.clear();
        double sum = 0;
        Vec3d first;
        for (const std::uint32_t c : candidates_) {
            const Vec3d d = centers_[c] - point;
            const double q = 1 - dot(d, d) / (radius * radius);
            if (!(q > 0)) continue;
            near_.push_back({c, q * q, d});
            sum += q * q;
            first += d * (q * q);
        }
        if (near_.size() < 2) {
            nodes.push_back(own);
            weights.push_back(1);
            return 0;
        }
        const Vec3d tilt = tiltOf(sum, first, radius);
        double total = 0, variance = 0;
        for (Near& n : near_) total += n.weight = std::max(0.0, n.weight * (1 + dot(tilt, n.offset)));
        for (const Near& n : near_) {
            if (n.weight == 0) continue;
            nodes.push_back(n.node);
            weights.push_back(n.weight / total);
            variance += n.weight / total * dot(n.offset, n.offset) / 2;
        }
        return variance;
    }

private:
    struct Near {
        std::uint32_t node;
        double weight;
        Vec3d offset;
    };

    /// b for which weights φ (1 + b·d) have no first moment: Σ φ d + (Σ φ d dᵀ + ε) b = 0. ε regularizes the direction
    /// across the surface, in which the nodes hardly extend.
    Vec3d tiltOf(double sum, const Vec3d& first, double radius) const {
        Mat3d second = Mat3d{} * (1e-2 * radius * radius * sum);
        for (const Near& n : near_)
            for (int c = 0; c < 3; ++c) second.col[c] += n.offset * (n.weight * n.offset[c]);
        return inverse(second) * first * -1.0;
    }

    const Adjacency& edges_;
    std::span<const Vec3d> centers_;
    std::vector<std::uint32_t> candidates_;
    std::vector<Near> near_;
};

/// Rows of the combination by patch, then by vertex; fills `variance` per vertex.
Interpolation combinations(const Fine& fine, const Clusters& clusters, const Adjacency& edges,
                           std::vector<double>& variance) {
    struct Chunk {
        std::vector<std::uint32_t> vertices, counts, nodes;
        std::vector<double> weights;
    };
    constexpr std::size_t kPatches = 64;
    const std::vector<double> apart = distances(edges, clusters.centers);
    std::vector<Chunk> chunks((clusters.count() + kPatches - 1) / kPatches);
    parallelFor(clusters.count(), kPatches, [&](std::size_t begin, std::size_t end) {
        Chunk& chunk = chunks[begin / kPatches];
        Combiner combiner(edges, clusters.centers);
        for (std::size_t a = begin; a < end; ++a) {
            combiner.enter(std::uint32_t(a));
            for (const std::uint32_t v : clusters.of(a)) {
                const std::size_t before = chunk.nodes.size();
                const double radius = fine.frozen(v) ? 0 : kKernel * apart[a];
                variance[v] =
                    combiner.append(std::uint32_t(a), Vec3d(fine.positions[v]), radius, chunk.nodes, chunk.weights);
                chunk.vertices.push_back(v);
                chunk.counts.push_back(std::uint32_t(chunk.nodes.size() - before));
            }
        }
    });
    Interpolation result;
    result.offsets.assign(fine.positions.size() + 1, 0);
    for (const Chunk& chunk : chunks)
        for (std::size_t i = 0; i < chunk.vertices.size(); ++i) result.offsets[chunk.vertices[i] + 1] = chunk.counts[i];
    for (std::size_t v = 0; v < fine.positions.size(); ++v) result.offsets[v + 1] += result.offsets[v];
    result.nodes.resize(result.offsets.back());
    result.weights.resize(result.offsets.back());
    parallelFor(chunks.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            std::size_t from = 0;
            for (std::size_t i = 0; i < chunks[c].vertices.size(); from += chunks[c].counts[i++]) {
                const std::size_t to = result.offsets[chunks[c].vertices[i]];
                std::copy_n(chunks[c].nodes.begin() + std::ptrdiff_t(from), chunks[c].counts[i],
                            result.nodes.begin() + std::ptrdiff_t(to));
                std::copy_n(chunks[c].weights.begin() + std::ptrdiff_t(from), chunks[c].counts[i],
                            result.weights.begin() + std::ptrdiff_t(to));
            }
        }
    });
    return result;
}

std::vector<ExtraEdge> tiesOfNodes(std::span<const ExtraEdge> ties, const Clusters& clusters) {
    std::vector<ExtraEdge> result;
    for (const ExtraEdge& tie : ties) {
        const std::uint32_t a = clusters.cluster_of[tie.a], b = clusters.cluster_of[tie.b];
        if (a != b) result.push_back({a, b, tie.weight});
    }
    return result;
}

}  // namespace

std::optional<CoarseLevel> makeCoarseLevel(const Laplacian& laplacian, std::span<const ExtraEdge> ties,
                                           std::span<const Vec3f> positions, std::span<const Vec3f> normals,
                                           std::span<const double> strength, int iterations, const Progress& progress) {
    const Fine fine{laplacian, positions, masses(laplacian, ties, strength)};
    const std::size_t count = positions.size();
    CoarseLevel level;
    level.mass.resize(count);
    std::vector<double> variance(count), spacing(count), spread(count, 0);
    parallelFor(count, kVertexGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) {
            variance[v] = fine.variance(v, iterations);
            spacing[v] = std::min(kSpacing * std::sqrt(variance[v]), kBend / fine.curvature(v, normals));
            level.mass[v] = fine.frozen(v) ? 1 : fine.mass[v];
        }
    });
    Clusters clusters =
        makeClusters(laplacian.edges, positions, spacing, level.mass, std::size_t(double(count) / kFewer), progress);
    if (clusters.count() == 0) return std::nullopt;
    progress.report("coarsen", 1);
    level.laplacian = patchLaplacian(laplacian, positions, clusters);
    progress.report("coarsen", 1);
    level.between = combinations(fine, clusters, level.laplacian.edges, spread);
    if (!ties.empty()) level.laplacian = withEdges(level.laplacian, tiesOfNodes(ties, clusters));

    level.strength.resize(clusters.count());
    for (std::size_t a = 0; a < clusters.count(); ++a) {
        double mass = 0, wanted = 0, taken = 0;
        bool frozen = false;
        for (const std::uint32_t v : clusters.of(a)) {
            const Vec3d d = Vec3d(positions[v]) - clusters.centers[a];
            mass += level.mass[v];
            wanted += level.mass[v] * variance[v];
            taken += level.mass[v] * (spread[v] + dot(d, d) / 2);
            frozen = frozen || fine.frozen(v);
        }
        const double share = wanted > 0 ? std::max(kLeastShare, 1 - taken / wanted) : 1;
        level.strength[a] = frozen ? 0 : level.laplacian.diagonal[a] / mass * share;
    }
    for (const Vec3d& center : clusters.centers) level.positions.emplace_back(center);
    level.node_of = std::move(clusters.cluster_of);
    return level;
}

}  // namespace pelt::geometry
