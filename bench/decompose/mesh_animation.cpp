// Skinning mesh animations [JamesTwigg05], a baseline for decompositions: made here, not the authors' program.
//
// A point is the motion of a triangle in all frames: its rotation, and its translation in radii of the mesh. Mean shift
// finds modes; the given number of those in which most starts end are bones, each the best rigid motion of the
// triangles within a bandwidth of its mode. Vertices get non-negative weights on them, solved for as in our own
// decomposition.
//
// Differences to the paper: translations count, which tells limbs apart that turn alike; points are first projected to
// a few random directions, which nearly keep distances; mean shift starts from a thousand of them; and the whole is
// done for eight bandwidths, of which the smallest error counts. Its errors are below the published ones where there
// are both (docs/benchmarks.md).
#include "mesh_animation.h"

#include <pelt/core/parallel.h>
#include <pelt/runtime/rotation.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>

#include "fit/decompose/bone_update.h"

namespace pelt::bench {
namespace {

using namespace fit::ssdr;

constexpr std::size_t kDirections = 48;
constexpr std::size_t kStarts = 1024, kSamples = 8192;  ///< points that move, and points whose means they move to
constexpr int kShifts = 40, kBandwidths = 8;
constexpr double kNarrower = 1.6;  ///< from one bandwidth that is tried to the next

/// Columns e1, e2 and a normal as long as they are.
Mat3d frameOf(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d e1 = b - a, e2 = c - a, n = cross(e1, e2);
    const double size = std::sqrt(length(n));
    return {{e1, e2, size > 0 ? n / size : n}};
}

struct Points {
    std::size_t count = 0, size = 0;
    std::vector<float> values;
    const float* of(std::size_t i) const { return values.data() + i * size; }
};

double squaredDistance(const float* a, const float* b, std::size_t size) {
    float sum = 0;
    for (std::size_t k = 0; k < size; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

Vec3d meanOf(const std::vector<Vec3f>& places) {
    Vec3d sum{};
    for (const Vec3f& p : places) sum += Vec3d(p);
    return sum / double(places.size());
}

Points motionsOf(MeshSequence& frames, const Mesh& rest) {
    const std::size_t count = rest.triangles.size();
    Points points{count, kDirections, std::vector<float>(count * kDirections, 0.f)};
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0.f, 1.f / std::sqrt(float(kDirections)));
    std::vector<Vec3f> posed(rest.vertexCount());
    std::vector<float> directions(12 * kDirections);
    const Vec3d rest_mean = meanOf(rest.positions);
    double radius = 1e-30;
    for (const Vec3f& p : rest.positions) radius = std::max(radius, length(Vec3d(p) - rest_mean));
    for (std::size_t t = 0; t < frames.frameCount(); ++t) {
        frames.readFrame(t, posed);
        for (float& value : directions) value = normal(random);
        const Vec3d mean = meanOf(posed);
        parallelFor(count, 1024, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                const Triangle& f = rest.triangles[i];
                const auto corner = [&](const std::vector<Vec3f>& of, int c) { return Vec3d(of[f[std::size_t(c)]]); };
                const Mat3d from =
                    frameOf(corner(rest.positions, 0), corner(rest.positions, 1), corner(rest.positions, 2));
                const Mat3d to = frameOf(corner(posed, 0), corner(posed, 1), corner(posed, 2));
                const double det = determinant(from);
                const Mat3d r = det == 0 ? Mat3d{} : runtime::nearestRotation(to * inverse(from)).rotation;
                const Vec3d center =
                    (corner(rest.positions, 0) + corner(rest.positions, 1) + corner(rest.positions, 2)) / 3.0;
                const Vec3d posed_center = (corner(posed, 0) + corner(posed, 1) + corner(posed, 2)) / 3.0;
                const Vec3d place = (posed_center - mean - r * (center - rest_mean)) / radius;
                float* out = points.values.data() + i * kDirections;
                for (std::size_t k = 0; k < 12; ++k) {
                    const Vec3d& column = k < 9 ? r.col[k / 3] : place;
                    const auto value = float(k % 3 == 0 ? column.x : k % 3 == 1 ? column.y : column.z);
                    for (std::size_t d = 0; d < kDirections; ++d) out[d] += value * directions[k * kDirections + d];
                }
            }
        });
    }
    return points;
}

/// Every n-th point, at most `most`.
Points sampled(const Points& all, std::size_t most) {
    const std::size_t step = (all.count + most - 1) / most;
    Points some{0, all.size, {}};
    for (std::size_t i = 0; i < all.count; i += step, ++some.count)
        some.values.insert(some.values.end(), all.of(i), all.of(i) + all.size);
    return some;
}

/// Moves each start to the mean of the samples within the bandwidth until it rests. Gives how many are there.
std::vector<std::size_t> shift(const Points& samples, double bandwidth, Points& starts) {
    std::vector<std::size_t> support(starts.count, 0);
    parallelFor(starts.count, 8, [&](std::size_t first, std::size_t last) {
        std::vector<double> mean(starts.size);
        for (std::size_t s = first; s < last; ++s) {
            float* at = starts.values.data() + s * starts.size;
            for (int round = 0; round < kShifts; ++round) {
                std::fill(mean.begin(), mean.end(), 0.0);
                support[s] = 0;
                for (std::size_t i = 0; i < samples.count; ++i) {
                    if (squaredDistance(at, samples.of(i), samples.size) > bandwidth * bandwidth) continue;
                    ++support[s];
                    for (std::size_t k = 0; k < samples.size; ++k) mean[k] += double(samples.of(i)[k]);
                }
                double moved = 0;
                for (std::size_t k = 0; support[s] > 0 && k < samples.size; ++k) {
                    const auto next = float(mean[k] / double(support[s]));
                    moved += double(next - at[k]) * double(next - at[k]);
                    at[k] = next;
                }
                if (moved < 1e-6 * bandwidth * bandwidth) break;
            }
        }
    });
    return support;
}

using Clusters = std::vector<std::vector<std::uint32_t>>;

/// The modes in which most starts end; those nearer than half a bandwidth are one.
std::vector<std::size_t> largestModes(const Points& modes, const std::vector<std::size_t>& support, double bandwidth,
                                      std::size_t most) {
    std::vector<std::size_t> order(modes.count), kept, basin;
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return support[a] > support[b]; });
    for (const std::size_t mode : order) {
        const auto same = std::find_if(kept.begin(), kept.end(), [&](std::size_t other) {
            return squaredDistance(modes.of(mode), modes.of(other), modes.size) < 0.25 * bandwidth * bandwidth;
        });
        if (same == kept.end()) {
            kept.push_back(mode);
            basin.push_back(1);
        } else {
            ++basin[std::size_t(same - kept.begin())];
        }
    }
    std::vector<std::size_t> by_size(kept.size());
    std::iota(by_size.begin(), by_size.end(), std::size_t(0));
    std::stable_sort(by_size.begin(), by_size.end(), [&](auto a, auto b) { return basin[a] > basin[b]; });
    by_size.resize(std::min(by_size.size(), most));
    for (std::size_t& one : by_size) one = kept[one];
    return by_size;
}

Clusters clustersOf(const Points& points, const Points& samples, double bandwidth, std::size_t bones) {
    Points modes = sampled(points, kStarts);
    const std::vector<std::size_t> support = shift(samples, bandwidth, modes);
    const std::vector<std::size_t> kept = largestModes(modes, support, bandwidth, bones);
    std::vector<std::uint32_t> nearest(points.count);
    std::vector<double> distance(points.count, INFINITY);
    parallelFor(points.count, 512, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t c = 0; c < kept.size(); ++c) {
                const double d = squaredDistance(points.of(i), modes.of(kept[c]), points.size);
                if (d >= distance[i]) continue;
                distance[i] = d;
                nearest[i] = std::uint32_t(c);
            }
    });
    Clusters clusters(kept.size());
    for (std::uint32_t i = 0; i < points.count; ++i)
        if (distance[i] <= bandwidth * bandwidth) clusters[nearest[i]].push_back(i);
    std::erase_if(clusters, [](const auto& members) { return members.empty(); });
    return clusters;
}

double widestOf(const Points& samples) {
    double widest = 1e-6;
    for (std::size_t i = 0; i < samples.count; ++i)
        widest = std::max(widest, std::sqrt(squaredDistance(samples.of(0), samples.of(i), samples.size)));
    return widest;
}

fit::Decomposition skinOn(const Clusters& clusters, const Trajectories& data, MeshSequence& frames, const Mesh& rest,
                          std::size_t influences) {
    Motions motions(clusters.size(), data.frames);
    parallelFor(clusters.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t bone = first; bone < last; ++bone) {
            std::vector<std::uint32_t> own;
            for (const std::uint32_t triangle : clusters[bone])
                own.insert(own.end(), rest.triangles[triangle].begin(), rest.triangles[triangle].end());
            std::sort(own.begin(), own.end());
            own.erase(std::unique(own.begin(), own.end()), own.end());
            fitRigid(data, own, bone, motions);
        }
    });
    fit::DecomposeOptions options;
    options.bones = options.kept_bones = clusters.size();
    options.influences = influences;
    options.correct_rest = false;
    options.smoothness = 0;
    for (std::size_t t = 0; t < data.frames; ++t)
        for (std::size_t bone = 0; bone < clusters.size(); ++bone) {
            const Affine3d m = motions.get(t, bone);  // of positions in the unit sphere
            const Vec3d place = data.frame_center[t] + m.translation() * data.radius - m.linear() * data.rest_center;
            options.kept_motion.push_back({m.linear(), place});
        }
    return fit::decompose(frames, rest.positions, rest.triangles, options);
}

}  // namespace

fit::Decomposition skinMeshAnimation(MeshSequence& frames, const Mesh& rest, std::size_t bones,
                                     std::size_t influences) {
    const Points points = motionsOf(frames, rest), samples = sampled(points, kSamples);
    const Trajectories data = readTrajectories(frames, rest.positions, {});
    std::optional<fit::Decomposition> best;
    double bandwidth = widestOf(samples) / 2;
    for (int round = 0; round < kBandwidths; ++round, bandwidth /= kNarrower) {
        const Clusters clusters = clustersOf(points, samples, bandwidth, bones);
        if (clusters.empty()) continue;
        fit::Decomposition made = skinOn(clusters, data, frames, rest, influences);
        if (!best || made.e_rms < best->e_rms) best = std::move(made);
    }
    return std::move(best.value());
}

}  // namespace pelt::bench
