// Groups vertices that move as one rigid bone, to start a decomposition.
#include "clusters.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "bone_update.h"
#include "ssdr_kernel.h"

namespace pelt::fit::ssdr {
namespace {

constexpr std::size_t kKernelGrain = 256;  ///< vertices of one task, in runs that the kernel takes
constexpr int kSplitRounds = 4;            ///< iterations for the two halves of a split cluster
constexpr int kSettleRounds = 8;           ///< iterations for all clusters
constexpr double kRigidCluster =
    1e-12;  ///< a cluster with a smaller error, relative to its squared length, is not split

/// The squared error of each listed vertex under each bone: out[i * bones + j]. Calls `look` regularly.
void aloneErrors(const Trajectories& data, const Motions& motions, std::span<const std::uint32_t> all,
                 std::vector<double>& all_out, const std::function<void()>& look) {
    const BoneProducts products = productsOf(motions);
    const std::size_t bones = motions.bones, columns = motions.columns();
    all_out.resize(all.size() * bones);
    for (std::size_t begin = 0; begin < all.size(); begin += kVerticesAtOnce) {
        look();
        const auto vertices = all.subspan(begin, std::min(kVerticesAtOnce, all.size() - begin));
        double* out = all_out.data() + begin * bones;
        parallelFor(vertices.size(), kKernelGrain, [&](std::size_t first, std::size_t last) {
            std::vector<double> projected(4 * columns);
            std::size_t i = first;
            while (i < last) {
                // Vertices adjacent in memory are processed together by the kernel.
                std::size_t run = 1;
                while (run < 4 && i + run < last && vertices[i + run] == vertices[i] + run) ++run;
                multiplyRows(data.of(vertices[i]), run, data.dimensions(), motions.m.data(), columns, projected.data());
                for (std::size_t k = 0; k < run; ++k, ++i) {
                    const Vec3d& p = data.rest[vertices[i]];
                    double terms[BoneProducts::kTerms];
                    quadraticTerms(p, terms);
                    for (std::size_t j = 0; j < bones; ++j) {
                        const double* y = projected.data() + k * columns + 4 * j;
                        double error = data.squared[vertices[i]] - 2 * (p.x * y[0] + p.y * y[1] + p.z * y[2] + y[3]);
                        for (std::size_t term = 0; term < BoneProducts::kTerms; ++term)
                            error += terms[term] * products.diagonal[term * bones + j];
                        out[i * bones + j] = std::max(error, 0.0);
                    }
                }
            }
        });
    }
}

/// The bone of each vertex, and its error there.
struct Clusters {
    const Trajectories& data;
    std::size_t kept;
    Motions& motions;
    std::vector<std::uint32_t> label;
    std::vector<double> error;
    std::function<void()> look;  ///< may throw to stop
    std::uint64_t chance = 0;    ///< the seed
    std::mt19937_64 random{chance};

    std::vector<std::uint32_t> members(std::uint32_t bone) const {
        std::vector<std::uint32_t> found;
        for (std::uint32_t v = 0; v < label.size(); ++v)
            if (label[v] == bone) found.push_back(v);
        return found;
    }

    /// Assigns each vertex to the bone among the first `count` that fits it best. Returns how many changed.
    std::size_t assignAll(std::size_t count) {
        std::size_t changed = 0;
        Motions used(count, data.frames);
        for (std::size_t t = 0; t < data.frames; ++t)
            for (std::size_t j = 0; j < count; ++j) used.set(t, j, motions.get(t, j));
        std::vector<std::uint32_t> all(data.vertices);
        std::iota(all.begin(), all.end(), 0u);
        std::vector<double> errors;
        aloneErrors(data, used, all, errors, look);
        for (std::size_t v = 0; v < data.vertices; ++v) {
            const auto row = errors.begin() + std::ptrdiff_t(v * count);
            const auto best = std::min_element(row, row + std::ptrdiff_t(count));
            changed += label[v] != std::uint32_t(best - row);
            label[v] = std::uint32_t(best - row);
            error[v] = *best;
        }
        return changed;
    }

    void refit(std::uint32_t bone) const {
        const auto own = members(bone);
        if (own.size() >= 3) fitRigid(data, own, bone, motions);
    }

    /// Splits the cluster with the largest error into itself and `fresh`. False if none is worth splitting.
    bool split(std::uint32_t fresh);
    std::uint32_t seedOf(const std::vector<std::uint32_t>& own);
    void splitAt(const std::vector<std::uint32_t>& own, std::uint32_t old, std::uint32_t fresh, std::uint32_t seed);
};

bool Clusters::split(std::uint32_t fresh) {
    std::vector<double> total(fresh, 0.0), length(fresh, 0.0);
    std::vector<std::uint32_t> count(fresh, 0);
    for (std::uint32_t v = 0; v < label.size(); ++v) {
        const std::uint32_t j = label[v];
        total[j] += error[v];
        length[j] += data.squared[v];
        ++count[j];
    }
    std::vector<std::uint32_t> order(fresh);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return total[a] > total[b]; });
    for (const std::uint32_t old : order) {
        if (count[old] < 2 || total[old] <= kRigidCluster * length[old]) continue;
        const std::vector<std::uint32_t> own = members(old);
        splitAt(own, old, fresh, seedOf(own));
        if (std::find(label.begin(), label.end(), fresh) != label.end()) return true;
    }
    return false;
}

std::uint32_t Clusters::seedOf(const std::vector<std::uint32_t>& own) {
    std::vector<std::uint32_t> worst = own;
    const std::size_t candidates = chance == 0 ? 1 : (own.size() + 19) / 20;
    std::partial_sort(worst.begin(), worst.begin() + std::ptrdiff_t(candidates), worst.end(),
                      [&](auto a, auto b) { return error[a] != error[b] ? error[a] > error[b] : a < b; });
    return worst[candidates == 1 ? 0 : random() % candidates];
}

void Clusters::splitAt(const std::vector<std::uint32_t>& own, std::uint32_t old, std::uint32_t fresh,
                       std::uint32_t seed) {
    fitRigid(data, nearestAtRest(data, seed, kSeedVertices), fresh, motions);
    Motions two(2, data.frames);
    std::vector<double> errors;
    for (int round = 0; round < kSplitRounds; ++round) {
        for (std::size_t t = 0; t < data.frames; ++t) {
            two.set(t, 0, motions.get(t, old));
            two.set(t, 1, motions.get(t, fresh));
        }
        aloneErrors(data, two, own, errors, look);
        for (std::size_t i = 0; i < own.size(); ++i) {
            const bool moves = errors[2 * i + 1] < errors[2 * i];
            label[own[i]] = moves ? fresh : old;
            error[own[i]] = std::min(errors[2 * i], errors[2 * i + 1]);
        }
        if (round + 1 == kSplitRounds) break;
        if (old >= kept) refit(old);
        refit(fresh);
    }
}

}  // namespace

void initializeMotions(const Trajectories& data, std::size_t kept, std::uint64_t seed, Motions& motions,
                       const Progress& progress) {
    double done = 0;
    Clusters clusters{data,
                      kept,
                      motions,
                      std::vector<std::uint32_t>(data.vertices, 0),
                      std::vector<double>(data.vertices, 0.0),
                      [&] { progress.report("initialize", done); },
                      seed};
    std::size_t made = kept;
    if (kept == 0) {
        clusters.refit(0);
        made = 1;
    }
    clusters.assignAll(made);
    for (; made < motions.bones; ++made) {
        done = double(made) / double(motions.bones + kSettleRounds);
        if (!clusters.split(std::uint32_t(made))) break;
    }
    for (int round = 0; round < kSettleRounds; ++round) {
        done = double(motions.bones + std::size_t(round)) / double(motions.bones + kSettleRounds);
        if (clusters.assignAll(made) * 1000 < data.vertices && round > 0) break;
        parallelFor(made - kept, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t j = first; j < last; ++j) clusters.refit(std::uint32_t(kept + j));
        });
    }
}

}  // namespace pelt::fit::ssdr
