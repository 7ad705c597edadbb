// Weight space and extra weights [Jacobson12]: the weights of a vertex are a point, and bumps around samples of these
// points are additional weights. The samples are the farthest from the handles' unit vectors and each other. Two
// choices are ours. First, the distance of the knots of the cubic B-spline is five times the distance of the farthest
// point from its nearest sample. (With a factor of one, bumps hardly overlap, and a bar bends at up to twice the
// energy; with ten, bumps are so similar that their transforms become too large for single precision.) Second, instead
// of a bump b we use b - Σ_h w_h b(e_h), with e_h the handles' unit vectors, so that vertices that follow one handle,
// or nearly so, are not affected. This does not reduce the space of poses, since the handles' own transforms are in the
// rig.
#include "weight_rows.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>

#include <algorithm>
#include <cmath>

namespace pelt::pose {
namespace {

constexpr double kSpacing = 5;    ///< distance of knots, in covering radii
constexpr double kFade = 0.01;    ///< of 1 - |w|²
constexpr double kNoRoom = 1e-3;  ///< samples closer than this would give the same weight twice

double rowSum(const SkinWeights& weights, std::size_t v, std::size_t handles) {
    double sum = 0;
    for (std::size_t k = 0; k < weights.influenceCount(v); ++k) {
        const double w = weights.weightsOf(v)[k];
        if (!(w >= 0) || !std::isfinite(w)) throw Error::badInput(fmt::format("vertex {} has a weight of {}", v, w));
        if (weights.jointsOf(v)[k] >= handles)
            throw Error::badInput(fmt::format("vertex {} has a weight for handle {}, but there are {}", v,
                                              weights.jointsOf(v)[k], handles));
        sum += w;
    }
    if (!(sum > 0))
        throw Error::badInput(
            fmt::format("vertex {} has no weight: every vertex needs a handle; bind the mesh first", v));
    return sum;
}

}  // namespace

WeightRows rowsOf(const SkinWeights& weights, std::span<const std::uint32_t> chosen, std::size_t handles) {
    WeightRows rows;
    for (const std::uint32_t v : chosen) {
        const double sum = rowSum(weights, v, handles);
        for (std::size_t k = 0; k < weights.influenceCount(v); ++k)
            if (weights.weightsOf(v)[k] > 0) rows.append(weights.jointsOf(v)[k], weights.weightsOf(v)[k] / sum);
        rows.endRow();
    }
    return rows;
}

double fade(const WeightRows& rows, std::size_t row) {
    double squared = 0;
    for (std::size_t e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e) squared += rows.values[e] * rows.values[e];
    const double t = std::clamp((1 - squared) / kFade, 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

double squaredDistance(const WeightRows& rows, std::size_t row, std::span<const double> point, double point_squared) {
    double squared = point_squared;
    for (std::size_t e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e)
        squared += rows.values[e] * (rows.values[e] - 2 * point[rows.columns[e]]);
    return std::max(0.0, squared);
}

double Bumps::value(double distance) const {
    const double t = distance / spacing;
    if (t >= 2) return 0;
    if (t >= 1) return (2 - t) * (2 - t) * (2 - t) / 4;
    return 1 - 1.5 * t * t + 0.75 * t * t * t;
}

Bumps chooseBumps(const WeightRows& rows, std::size_t handles, std::size_t count) {
    Bumps bumps;
    bumps.handles = handles;
    if (count == 0) return bumps;
    std::vector<double> nearest(rows.count());  // squared distance to the nearest sample
    for (std::size_t v = 0; v < rows.count(); ++v) {
        double squared = 0, largest = 0;
        for (std::size_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
            squared += rows.values[e] * rows.values[e];
            largest = std::max(largest, rows.values[e]);
        }
        nearest[v] = std::max(0.0, squared + 1 - 2 * largest);
    }
    double covering = 0;
    for (;;) {
        const auto farthest = std::max_element(nearest.begin(), nearest.end());
        covering = std::sqrt(*farthest);
        if (bumps.centers.size() == count || covering < kNoRoom) break;
        const std::size_t chosen = std::size_t(farthest - nearest.begin());
        std::vector<double> center(handles, 0.0);
        double squared = 0;
        for (std::size_t e = rows.offsets[chosen]; e < rows.offsets[chosen + 1]; ++e) {
            center[rows.columns[e]] = rows.values[e];
            squared += rows.values[e] * rows.values[e];
        }
        parallelFor(rows.count(), kVertexGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t v = first; v < last; ++v)
                nearest[v] = std::min(nearest[v], squaredDistance(rows, v, center, squared));
        });
        nearest[chosen] = 0;
        bumps.centers.push_back(std::move(center));
    }
    bumps.spacing = std::max(kSpacing * covering, kNoRoom);
    return bumps;
}

WeightRows withBumps(const WeightRows& rows, const Bumps& bumps) {
    std::vector<double> squared;
    std::vector<std::vector<double>> at_handles;  // b(e_h)
    for (const auto& center : bumps.centers) {
        double sum = 0;
        for (const double x : center) sum += x * x;
        squared.push_back(sum);
        auto& at = at_handles.emplace_back();
        for (const double x : center) at.push_back(bumps.value(std::sqrt(std::max(0.0, 1 + sum - 2 * x))));
    }
    WeightRows out;
    for (std::size_t v = 0; v < rows.count(); ++v) {
        const double shared = fade(rows, v);
        for (std::size_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) out.append(rows.columns[e], rows.values[e]);
        for (std::size_t b = 0; b < bumps.centers.size(); ++b) {
            double value = bumps.value(std::sqrt(squaredDistance(rows, v, bumps.centers[b], squared[b])));
            for (std::size_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
                value -= rows.values[e] * at_handles[b][rows.columns[e]];
            if (shared * value != 0) out.append(std::uint32_t(bumps.handles + b), shared * value);
        }
        out.endRow();
    }
    return out;
}

}  // namespace pelt::pose
