// An error shared by all neighbors is not visible; one that changes from vertex to vertex is a wrinkle. Vertices whose
// error differs from that around them are therefore solved again for samples shifted by the error of their neighbors.
#include <pelt/core/parallel.h>

#include <algorithm>
#include <cmath>

#include "skin_problem.h"

namespace pelt::fit::bake {
namespace {

constexpr int kSmoothRounds = 3;
constexpr float kPull = 0.99f;     ///< how far a sample is shifted toward the mean error of the neighbors
constexpr double kVisible = 0.02;  ///< of an edge: tolerated difference to the error of the neighbors, about a degree
constexpr double kSmoothWidth = 0.02;  ///< of the radius: how far neighbors may be away
constexpr double kMostPasses = 64;     ///< of averaging over neighbors

constexpr std::size_t kStrip = 16;  ///< of values: those of all vertices fit into a cache

/// Each vertex gets the mean of its neighbors; one without any keeps what it has. kStrip values per vertex.
void average(const std::vector<float>& values, const geometry::Adjacency& neighbors, std::vector<float>& means) {
    parallelFor(values.size() / kStrip, kSolveGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) {
            const auto near = neighbors.of(v);
            if (near.empty()) {
                std::copy_n(values.data() + v * kStrip, kStrip, means.data() + v * kStrip);
                continue;
            }
            const float share = 1 / float(near.size());
            float sum[kStrip] = {};
            for (const std::uint32_t n : near)
                for (std::size_t d = 0; d < kStrip; ++d) sum[d] += share * values[n * kStrip + d];
            std::copy_n(sum, kStrip, means.data() + v * kStrip);
        }
    });
}

double squaredLength(const float* values, std::size_t count) {
    double sum = 0;
    for (std::size_t d = 0; d < count; ++d) sum += double(values[d]) * double(values[d]);
    return sum;
}

}  // namespace

/// The residual of a vertex, sample by sample.
void SkinProblem::residual(const BoneSet& set, std::size_t v, const Weights& weights, float* out) const {
    const Vec3d p = data_.rest[v];
    for (std::size_t d = 0; d < data_.dimensions(); ++d) {
        double x = -double(data_.of(v)[d]);
        const double* row = set.motions.m.data() + d * set.motions.columns();
        for (std::size_t i = 0; i < weights.bones.size(); ++i) {
            const double* m = row + 4 * set.bone[weights.bones[i]];
            x += weights.values[i] * (m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3]);
        }
        out[d] = isFixed(v) ? 0 : float(x);
    }
}

/// Squared, per vertex: by how much its error may differ from that of its neighbors before it is visible.
std::vector<double> SkinProblem::visible(const geometry::Adjacency& neighbors) const {
    double importance = 0;
    for (const double s : scale_) importance += s * s;
    std::vector<double> visible(data_.vertices, 0.0);
    for (std::size_t v = 0; v < data_.vertices; ++v)
        for (const std::uint32_t n : neighbors.of(v)) {
            const Vec3d edge = data_.rest[n] - data_.rest[v];
            visible[v] += kVisible * kVisible * importance * dot(edge, edge) / double(neighbors.of(v).size());
        }
    return visible;
}

/// k passes of averaging reach as far as √k edges.
int SkinProblem::smoothingPasses(const geometry::Adjacency& neighbors) const {
    double mean_edge = 0;
    for (std::size_t v = 0; v < data_.vertices; ++v)
        for (const std::uint32_t n : neighbors.of(v))
            mean_edge += length(data_.rest[n] - data_.rest[v]) / double(neighbors.neighbors.size());
    const double edges = mean_edge > 0 ? kSmoothWidth / mean_edge : 0;
    return int(std::clamp(edges * edges, 1.0, kMostPasses));
}

/// Strip by strip: all passes over one while it is in the cache.
void SkinProblem::averageAround(const std::vector<float>& values, const geometry::Adjacency& neighbors, int passes,
                                std::vector<float>& means) const {
    const std::size_t dimensions = data_.dimensions();
    std::vector<float> strip(data_.vertices * kStrip), next(strip.size());
    for (std::size_t first = 0; first < dimensions; first += kStrip) {
        const std::size_t width = std::min(kStrip, dimensions - first);
        for (std::size_t v = 0; v < data_.vertices; ++v)
            std::copy_n(values.data() + v * dimensions + first, width, strip.data() + v * kStrip);
        for (int pass = 0; pass < passes; ++pass) {
            progress_.report("bake", done_);
            average(strip, neighbors, next);
            strip.swap(next);
        }
        for (std::size_t v = 0; v < data_.vertices; ++v)
            std::copy_n(strip.data() + v * kStrip, width, means.data() + v * dimensions + first);
    }
}

void SkinProblem::smooth(const BoneSet& set, const geometry::Adjacency& neighbors, std::vector<Weights>& weights) {
    const int passes = smoothingPasses(neighbors);
    const std::vector<double> seen = visible(neighbors);
    const std::size_t dimensions = data_.dimensions();
    std::vector<float> left(data_.values.size()), means(left.size());
    for (int round = 0; round < kSmoothRounds; ++round) {
        parallelFor(data_.vertices, kSolveGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t v = first; v < last; ++v) residual(set, v, weights[v], left.data() + v * dimensions);
        });
        averageAround(left, neighbors, passes, means);
        std::vector<std::uint32_t> rough;
        for (std::uint32_t v = 0; v < data_.vertices; ++v) {
            double squared = 0;
            for (std::size_t d = v * dimensions; d < (v + 1) * dimensions; ++d)
                squared += double(left[d] - means[d]) * double(left[d] - means[d]);
            if (squared > seen[v] && !isFixed(v)) rough.push_back(v);
        }
        // The targets are shifted, solved for and restored.
        std::vector<float> kept;
        std::vector<double> kept_squared;
        for (const std::uint32_t v : rough) {
            float* x = data_.values.data() + v * dimensions;
            kept.insert(kept.end(), x, x + dimensions);
            kept_squared.push_back(data_.squared[v]);
            for (std::size_t d = 0; d < dimensions; ++d) x[d] += kPull * means[v * dimensions + d];
            data_.squared[v] = squaredLength(x, dimensions);
        }
        solve(set, rough, weights);
        for (std::size_t r = 0; r < rough.size(); ++r) {
            std::copy_n(kept.data() + r * dimensions, dimensions, data_.values.data() + rough[r] * dimensions);
            data_.squared[rough[r]] = kept_squared[r];
        }
    }
}

}  // namespace pelt::fit::bake
