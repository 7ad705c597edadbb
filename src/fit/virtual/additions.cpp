// Where bones are added and removed.
#include <pelt/core/parallel.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "virtual_problem.h"

namespace pelt::fit::virtual_bones {
namespace {

constexpr std::size_t kTriedPerAddition = 6, kLeastTried = 64;  ///< vertices tried as bones
constexpr double kSharedWeight = 0.02;  ///< vertices without so much weight on a joint of a bone gain nothing from it
constexpr float kLeastGain = 0.01f;     ///< of the error of a vertex
constexpr double kNoGain = 1e-15;       ///< of the squared length of all samples: rounding

struct Gain {
    std::uint32_t vertex;
    float saved;
};

/// Vertices spread over the mesh, more of them where the error is large.
std::vector<std::uint32_t> triedVertices(const Problem& problem, const ssdr::VertexWeights& weights,
                                         std::size_t count) {
    std::vector<double> sums;
    double sum = 0;
    for (std::size_t v = 0; v < weights.size(); ++v) {
        if (problem.rows[v].blocks.size() > 1) sum += std::sqrt(std::max(weights[v].error, 0.0));
        sums.push_back(sum);
    }
    std::vector<std::uint32_t> tried;
    if (!(sum > 0)) return tried;
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = std::lower_bound(sums.begin(), sums.end(), sum * (double(i) + 0.5) / double(count));
        const auto v = std::uint32_t(std::min<std::ptrdiff_t>(at - sums.begin(), std::ptrdiff_t(sums.size()) - 1));
        if (tried.empty() || tried.back() != v) tried.push_back(v);
    }
    return tried;
}

/// Per joint, the vertices that follow it with some weight.
std::vector<std::vector<std::uint32_t>> followersOf(const Problem& problem) {
    std::vector<std::vector<std::uint32_t>> followers(problem.poses.joints);
    for (std::uint32_t v = 0; v < problem.rows.size(); ++v)
        for (const JointBlock& block : problem.rows[v].blocks)
            if (block.weight > kSharedWeight) followers[block.joint].push_back(v);
    return followers;
}

/// |r|², −r·w and |w|² of the way w from the current position of a vertex to where a bone moves it.
struct Products {
    float squared = 0, along = 0, step = 0;
};

/// In eight sums at a time, which compilers vectorize.
Products productsOf(const std::array<std::vector<float>, 4>& m, const Vec3f& p, const float* x, const float* r,
                    std::size_t dimensions) {
    constexpr std::size_t kSums = 8;
    float squared[kSums] = {}, along[kSums] = {}, step[kSums] = {};
    const float *mx = m[0].data(), *my = m[1].data(), *mz = m[2].data(), *mt = m[3].data();
    const auto add = [&](std::size_t d, std::size_t sum) {
        const float way = mx[d] * p.x + my[d] * p.y + mz[d] * p.z + mt[d] - x[d] - r[d];
        squared[sum] += r[d] * r[d];
        along[sum] -= r[d] * way;
        step[sum] += way * way;
    };
    std::size_t d = 0;
    for (; d + kSums <= dimensions; d += kSums)
        for (std::size_t sum = 0; sum < kSums; ++sum) add(d + sum, sum);
    for (; d < dimensions; ++d) add(d, 0);
    Products total;
    for (std::size_t sum = 0; sum < kSums; ++sum) {
        total.squared += squared[sum];
        total.along += along[sum];
        total.step += step[sum];
    }
    return total;
}

/// What each vertex saves by moving its weights toward a bone in the best step.
std::vector<Gain> gainsOf(const Problem& problem, const VirtualBone& bone, const std::vector<float>& residuals,
                          const std::vector<std::vector<std::uint32_t>>& followers) {
    const std::size_t dimensions = problem.data.dimensions();
    ssdr::Motions motion(1, problem.data.frames);
    setMotion(bone, problem.poses, 0, motion);
    std::array<std::vector<float>, 4> m;
    for (std::size_t d = 0; d < 4 * dimensions; ++d) m[d % 4].push_back(float(motion.m[d]));
    std::vector<std::uint32_t> near;
    for (const JointBlock& block : bone.blocks)
        if (block.weight > kSharedWeight)
            near.insert(near.end(), followers[block.joint].begin(), followers[block.joint].end());
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    std::vector<Gain> gains;
    for (const std::uint32_t v : near) {
        const float *x = problem.data.of(v), *r = residuals.data() + v * dimensions;
        const Vec3f p(problem.data.rest[v]);
        const auto [squared, along, step] = productsOf(m, p, x, r, dimensions);
        if (!(along > 0) || !(step > 0)) continue;
        const float a = std::min(1.0f, along / step), saved = a * (2 * along - a * step);
        if (saved > kLeastGain * squared) gains.push_back({v, saved});
    }
    return gains;
}

}  // namespace

std::vector<std::uint32_t> bestAdditions(const Problem& problem, const std::vector<float>& residuals,
                                         const ssdr::VertexWeights& weights, std::size_t count) {
    const std::vector<std::uint32_t> tried =
        triedVertices(problem, weights, std::max(kTriedPerAddition * count, kLeastTried));
    const auto followers = followersOf(problem);
    std::vector<std::vector<Gain>> gains(tried.size());
    parallelFor(tried.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t t = first; t < last; ++t)
            gains[t] = gainsOf(problem, problem.rows[tried[t]], residuals, followers);
    });
    double all = 0;
    for (const double squared : problem.data.squared) all += squared;
    std::vector<float> saved(problem.data.vertices, 0.0f);
    std::vector<std::uint32_t> best;
    while (best.size() < count) {
        double most = kNoGain * all;
        std::size_t chosen = tried.size();
        for (std::size_t t = 0; t < tried.size(); ++t) {
            double gain = 0;
            for (const Gain& g : gains[t]) gain += double(std::max(0.0f, g.saved - saved[g.vertex]));
            if (gain > most) most = gain, chosen = t;
        }
        if (chosen == tried.size()) break;
        for (const Gain& g : gains[chosen]) saved[g.vertex] = std::max(saved[g.vertex], g.saved);
        best.push_back(tried[chosen]);
    }
    return best;
}

std::vector<double> lossesOf(const Problem& problem, const ssdr::Motions& motions, std::size_t first,
                             const std::vector<float>& residuals, const ssdr::VertexWeights& weights) {
    const std::size_t dimensions = problem.data.dimensions(), columns = motions.columns();
    std::vector<double> losses(motions.bones - first, 0.0);
    for (std::size_t v = 0; v < weights.size(); ++v) {
        const float *x = problem.data.of(v), *r = residuals.data() + v * dimensions;
        const Vec3d& p = problem.data.rest[v];
        for (std::size_t i = 0; i < weights[v].bones.size(); ++i) {
            if (weights[v].bones[i] < first) continue;
            double squared = 0, along = 0, alone = 0;  // |r|², r·d and |d|², d the residual of the bone alone
            for (std::size_t d = 0; d < dimensions; ++d) {
                const double* m = motions.m.data() + d * columns + 4 * weights[v].bones[i];
                const double own = m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3] - double(x[d]);
                squared += double(r[d]) * double(r[d]);
                along += double(r[d]) * own;
                alone += own * own;
            }
            // Without the bone the residual is (r - w d) / (1 - w).
            const double w = weights[v].values[i], left = std::max(1 - w, 1e-3);
            losses[weights[v].bones[i] - first] +=
                std::max(0.0, (squared - 2 * w * along + w * w * alone) / (left * left) - squared);
        }
    }
    return losses;
}

}  // namespace pelt::fit::virtual_bones
