// [LeHodgins16]: u the weights of a vertex, v those of a triangle,
//     s(u, v) = Σ_{j≠k} u_j u_k v_j v_k exp(−(u_j v_k − u_k v_j)² / σ²).
// Triangles of one square of weights are merged at their mean weights (by mass). That is exact to first order for the
// mass; moments also keep how they change with the weights, because centroids do. The remaining error is of second
// order in the square's size and mostly cancels in the quotient; see the measurements in docs/cor.md.
#include "similar_triangles.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pelt::deform {
namespace {

/// Terms below e^-36 are skipped, unless there are no others.
constexpr double kReach = 6;
constexpr double kEnough = 1e-6;

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

std::uint64_t pairKey(std::uint32_t j, std::uint32_t k) { return std::uint64_t(j) << 32 | k; }

std::vector<std::uint64_t> allPairs(const WeightRows& rows) {
    std::vector<std::uint64_t> keys;
    for (std::size_t r = 0; r < rows.count(); ++r) {
        const auto row = rows.of(r);
        for (std::size_t a = 0; a < row.size(); ++a)
            for (std::size_t b = a + 1; b < row.size(); ++b) keys.push_back(pairKey(row[a].joint, row[b].joint));
        if (keys.size() < (1u << 20)) continue;
        std::sort(keys.begin(), keys.end());
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

double weightOn(std::span<const JointWeight> row, std::uint32_t joint) {
    return std::lower_bound(row.begin(), row.end(), joint,
                            [](const JointWeight& e, std::uint32_t j) { return e.joint < j; })
        ->weight;
}

}  // namespace

/// The triangles of each pair, ascending: pair q has triangles[offsets[q]] .. triangles[offsets[q + 1]].
struct SimilarTriangles::Members {
    std::vector<std::size_t> offsets;
    std::vector<std::uint32_t> triangles;
};

std::size_t SimilarTriangles::pairIndex(std::uint32_t j, std::uint32_t k) const {
    const auto found = std::lower_bound(pairs_.begin(), pairs_.end(), pairKey(j, k));
    return found != pairs_.end() && *found == pairKey(j, k) ? std::size_t(found - pairs_.begin()) : kNone;
}

SimilarTriangles::Members SimilarTriangles::membersByPair(const WeightRows& triangle_weights) const {
    const auto forEachPair = [&](const auto& visit) {
        for (std::size_t t = 0; t < triangle_weights.count(); ++t) {
            const auto row = triangle_weights.of(t);
            for (std::size_t a = 0; a < row.size(); ++a)
                for (std::size_t b = a + 1; b < row.size(); ++b) {
                    const std::size_t pair = pairIndex(row[a].joint, row[b].joint);
                    if (pair != kNone) visit(pair, std::uint32_t(t));
                }
        }
    };
    Members members{std::vector<std::size_t>(pairs_.size() + 1, 0), {}};
    forEachPair([&](std::size_t pair, std::uint32_t) { ++members.offsets[pair + 1]; });
    for (std::size_t q = 0; q < pairs_.size(); ++q) members.offsets[q + 1] += members.offsets[q];
    members.triangles.resize(members.offsets.back());
    std::vector<std::size_t> next(members.offsets.begin(), members.offsets.end() - 1);
    forEachPair([&](std::size_t pair, std::uint32_t t) { members.triangles[next[pair]++] = t; });
    return members;
}

/// `triangles` have their own x, y, mass and moment.
std::vector<SimilarTriangles::Cluster> SimilarTriangles::merge(std::vector<Cluster>& triangles, double cell) {
    const auto square = [cell](double weight) { return cell > 0 ? std::floor(weight / cell) : weight; };
    const auto less = [&](const Cluster& a, const Cluster& b) {
        return square(a.x) != square(b.x) ? square(a.x) < square(b.x) : square(a.y) < square(b.y);
    };
    std::stable_sort(triangles.begin(), triangles.end(), less);
    std::vector<Cluster> merged;
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        if (i == 0 || less(triangles[i - 1], triangles[i])) merged.emplace_back();
        Cluster& c = merged.back();
        c.x += triangles[i].mass * triangles[i].x;
        c.y += triangles[i].mass * triangles[i].y;
        c.mass += triangles[i].mass;
        c.moment += triangles[i].moment;
        c.moment_x += triangles[i].moment * triangles[i].x;
        c.moment_y += triangles[i].moment * triangles[i].y;
    }
    for (Cluster& c : merged) {
        c.x /= c.mass;
        c.y /= c.mass;
        c.moment_x -= c.moment * c.x;
        c.moment_y -= c.moment * c.y;
    }
    return merged;
}

SimilarTriangles::SimilarTriangles(const Mesh& mesh, const WeightRows& triangle_weights, const WeightRows& queried,
                                   double cell)
    : pairs_(allPairs(queried)), clusters_(pairs_.size()), mass_(pairs_.size(), 0.0) {
    const Members members = membersByPair(triangle_weights);
    parallelFor(pairs_.size(), 1, [&](std::size_t first, std::size_t last) {
        std::vector<Cluster> own;
        for (std::size_t q = first; q < last; ++q) {
            own.clear();
            const auto j = std::uint32_t(pairs_[q] >> 32), k = std::uint32_t(pairs_[q]);
            for (std::size_t m = members.offsets[q]; m < members.offsets[q + 1]; ++m) {
                const std::uint32_t t = members.triangles[m];
                const Triangle& corners = mesh.triangles[t];
                const Vec3d a(mesh.positions[corners[0]]), b(mesh.positions[corners[1]]), c(mesh.positions[corners[2]]);
                const double x = weightOn(triangle_weights.of(t), j), y = weightOn(triangle_weights.of(t), k);
                const double mass = length(cross(b - a, c - a)) / 2 * x * y;
                if (mass > 0) own.push_back({x, y, mass, (a + b + c) / 3 * mass, {}, {}});
            }
            clusters_[q] = merge(own, cell);
            for (const Cluster& c : clusters_[q]) mass_[q] += c.mass;
        }
    });
}

SimilarTriangles::Sum SimilarTriangles::sumNear(std::span<const JointWeight> row, double sigma, double reach,
                                                double& possible) const {
    Sum sum;
    possible = 0;
    const double limit = reach * reach;
    for (std::size_t a = 0; a < row.size(); ++a)
        for (std::size_t b = a + 1; b < row.size(); ++b) {
            const std::size_t pair = pairIndex(row[a].joint, row[b].joint);
            const double product = row[a].weight * row[b].weight;
            const double uj = row[a].weight / sigma, uk = row[b].weight / sigma;
            Sum here;
            for (const Cluster& c : clusters_[pair]) {
                const double difference = uj * c.y - uk * c.x;
                if (difference * difference > limit) continue;
                const double bell = std::exp(-difference * difference), slope = -2 * difference * bell;
                here.weight += bell * c.mass;
                here.moment += c.moment * bell + (c.moment_y * uj - c.moment_x * uk) * slope;
            }
            sum.weight += product * here.weight;
            sum.moment += here.moment * product;
            possible += product * mass_[pair];
        }
    return sum;
}

SimilarTriangles::Sum SimilarTriangles::around(std::span<const JointWeight> row, double sigma) const {
    double possible = 0;
    const Sum near = sumNear(row, sigma, kReach, possible);
    if (near.weight >= kEnough * possible) return near;
    return sumNear(row, sigma, std::numeric_limits<double>::infinity(), possible);
}

}  // namespace pelt::deform
