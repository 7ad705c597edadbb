// Patches of a surface with about the requested width: first a cover by discs around seeds with a minimal distance,
// then a few iterations in which vertices at the border move to the patch whose center is nearer (Valette & Chassery
// 2004, which tends to a centroidal Voronoi partition of the surface).
#include "coarse_clusters.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <limits>

namespace pelt::geometry {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t(0);
constexpr double kDisc = 0.78;  ///< radius of a disc of the cover, in spacings: gives a mean distance of about 1
constexpr int kRounds = 12;

/// Covers the vertices with discs, lowest vertex first. Distances are measured along edges in units of the local
/// spacing; a vertex belongs to the nearest of the seeds that reached it.
class Cover {
public:
    Cover(const Adjacency& edges, std::span<const Vec3f> positions, std::span<const double> spacing)
        : edges_(edges),
          positions_(positions),
          spacing_(spacing),
          cluster_of_(positions.size(), kNone),
          distance_(positions.size(), std::numeric_limits<float>::infinity()) {}

    std::vector<std::uint32_t> grow(std::size_t most, const Progress& progress) {
        constexpr std::uint32_t kReport = 1 << 16;
        for (std::uint32_t v = 0; v < cluster_of_.size(); ++v) {
            if (v % kReport == 0) progress.report("coarsen", 0.5 * v / double(cluster_of_.size()));
            if (cluster_of_[v] != kNone) continue;
            if (count_ == most) return {};
            growDisc(v, count_++);
        }
        return std::move(cluster_of_);
    }

private:
    struct Front {
        float distance;
        std::uint32_t vertex;
        bool operator<(const Front& o) const {
            return distance != o.distance ? distance > o.distance : vertex > o.vertex;
        }
    };

    void growDisc(std::uint32_t seed, std::uint32_t cluster) {
        heap_.assign(1, {0, seed});
        distance_[seed] = 0;
        cluster_of_[seed] = cluster;
        while (!heap_.empty()) {
            std::pop_heap(heap_.begin(), heap_.end());
            const Front front = heap_.back();
            heap_.pop_back();
            if (front.distance > distance_[front.vertex] || cluster_of_[front.vertex] != cluster) continue;
            const double own = spacing_[front.vertex];
            if (own == 0) continue;
            for (const std::uint32_t n : edges_.of(front.vertex)) {
                if (spacing_[n] == 0) continue;
                const double length = pelt::length(Vec3d(positions_[n]) - Vec3d(positions_[front.vertex]));
                const auto distance = float(front.distance + 2 * length / (own + spacing_[n]));
                if (!(distance < kDisc && distance < distance_[n])) continue;
                distance_[n] = distance;
                cluster_of_[n] = cluster;
                heap_.push_back({distance, n});
                std::push_heap(heap_.begin(), heap_.end());
            }
        }
    }

    const Adjacency& edges_;
    std::span<const Vec3f> positions_;
    std::span<const double> spacing_;
    std::vector<std::uint32_t> cluster_of_;
    std::vector<float> distance_;
    std::vector<Front> heap_;
    std::uint32_t count_ = 0;
};

std::vector<Vec3d> centersOf(std::span<const std::uint32_t> cluster_of, std::span<const Vec3f> positions,
                             std::span<const double> weight, std::size_t count) {
    std::vector<Vec3d> sums(count);
    std::vector<double> weights(count, 0);
    for (std::size_t v = 0; v < cluster_of.size(); ++v) {
        sums[cluster_of[v]] += Vec3d(positions[v]) * weight[v];
        weights[cluster_of[v]] += weight[v];
    }
    for (std::size_t c = 0; c < count; ++c)
        if (weights[c] > 0) sums[c] = sums[c] / weights[c];
    return sums;
}

/// One iteration: every vertex moves to the nearest of its neighbors' centers, except where the spacing is 0.
void moveRims(const Adjacency& edges, std::span<const Vec3f> positions, std::span<const double> spacing,
              std::span<const Vec3d> centers, std::vector<std::uint32_t>& cluster_of) {
    const std::vector<std::uint32_t> was = cluster_of;
    parallelFor(was.size(), kVertexGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) {
            if (spacing[v] == 0) continue;
            double best = -1;
            std::uint32_t tried = was[v];
            for (const std::uint32_t n : edges.of(v)) {
                if (was[n] == was[v] || was[n] == tried || spacing[n] == 0) continue;
                tried = was[n];
                const auto squared = [&](std::uint32_t c) {
                    const Vec3d d = Vec3d(positions[v]) - centers[c];
                    return dot(d, d);
                };
                if (best < 0) best = squared(was[v]);
                const double other = squared(tried);
                if (other < best || (other == best && tried < cluster_of[v])) {
                    best = other;
                    cluster_of[v] = tried;
                }
            }
        }
    });
}

/// Numbers the remaining clusters by their first member.
std::uint32_t renumber(std::vector<std::uint32_t>& cluster_of, std::size_t count) {
    std::vector<std::uint32_t> number(count, kNone);
    std::uint32_t next = 0;
    for (std::uint32_t& c : cluster_of) {
        if (number[c] == kNone) number[c] = next++;
        c = number[c];
    }
    return next;
}

}  // namespace

Clusters makeClusters(const Adjacency& edges, std::span<const Vec3f> positions, std::span<const double> spacing,
                      std::span<const double> weight, std::size_t most, const Progress& progress) {
    Clusters result;
    result.cluster_of = Cover(edges, positions, spacing).grow(most, progress);
    if (result.cluster_of.empty()) return {};
    std::size_t count = renumber(result.cluster_of, positions.size());
    for (int round = 0; round < kRounds; ++round) {
        progress.report("coarsen", 0.5 + 0.5 * round / kRounds);
        moveRims(edges, positions, spacing, centersOf(result.cluster_of, positions, weight, count), result.cluster_of);
    }
    count = renumber(result.cluster_of, count);
    result.centers = centersOf(result.cluster_of, positions, weight, count);
    result.offsets.assign(count + 1, 0);
    for (const std::uint32_t c : result.cluster_of) ++result.offsets[c + 1];
    for (std::size_t c = 0; c < count; ++c) result.offsets[c + 1] += result.offsets[c];
    std::vector<std::uint32_t> next(result.offsets.begin(), result.offsets.end() - 1);
    result.members.resize(positions.size());
    for (std::uint32_t v = 0; v < positions.size(); ++v) result.members[next[result.cluster_of[v]]++] = v;
    return result;
}

}  // namespace pelt::geometry
