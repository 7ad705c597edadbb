// Rotation clusters [Jacobson12]: edge sets with similar weights move alike, so k-means in weight space determines
// which may share a rotation. Means start at points farthest from each other and are iterated on every n-th set, since
// a finer mesh has the same weights; then every set is assigned to its nearest mean. Deterministic.
#include "clusters.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <limits>

namespace pelt::pose {
namespace {

constexpr std::size_t kSamples = 8192;
constexpr int kClusterRounds = 20;

/// Means by columns of handles, so that the distances of one row to all means are sums over few contiguous rows.
struct Means {
    std::size_t count = 0;
    std::vector<double> by_handle;  ///< [handle][mean]
    std::vector<double> squared;

    void measure(std::size_t handles) {
        squared.assign(count, 0);
        for (std::size_t h = 0; h < handles; ++h)
            for (std::size_t k = 0; k < count; ++k) squared[k] += by_handle[h * count + k] * by_handle[h * count + k];
    }
};

std::uint32_t nearestMean(const WeightRows& rows, std::size_t row, const Means& means, std::vector<double>& scratch) {
    scratch = means.squared;
    for (std::size_t e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e) {
        const double twice = 2 * rows.values[e];
        const double* mean = means.by_handle.data() + rows.columns[e] * means.count;
        for (std::size_t k = 0; k < means.count; ++k) scratch[k] -= twice * mean[k];
    }
    return std::uint32_t(std::min_element(scratch.begin(), scratch.end()) - scratch.begin());
}

void assign(const WeightRows& rows, std::span<const std::size_t> chosen, const Means& means,
            std::vector<std::uint32_t>& labels) {
    parallelFor(chosen.size(), kSolveGrain, [&](std::size_t first, std::size_t last) {
        std::vector<double> scratch;
        for (std::size_t i = first; i < last; ++i) labels[i] = nearestMean(rows, chosen[i], means, scratch);
    });
}

std::vector<std::size_t> filledRows(const WeightRows& rows) {
    std::vector<std::size_t> filled;
    for (std::size_t r = 0; r < rows.count(); ++r)
        if (rows.offsets[r + 1] > rows.offsets[r]) filled.push_back(r);
    return filled;
}

/// Farthest-point sampling, starting with the first sample; fewer if points coincide.
std::vector<std::size_t> farthestRows(const WeightRows& rows, std::span<const std::size_t> samples, std::size_t handles,
                                      std::size_t count) {
    std::vector<std::size_t> seeds;
    std::vector<double> nearest(samples.size(), std::numeric_limits<double>::max()), point(handles);
    std::size_t next = 0;
    while (seeds.size() < count && nearest[next] > 1e-12) {
        const std::size_t row = samples[next];
        seeds.push_back(row);
        std::fill(point.begin(), point.end(), 0.0);
        double squared = 0;
        for (std::size_t e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e) {
            point[rows.columns[e]] = rows.values[e];
            squared += rows.values[e] * rows.values[e];
        }
        for (std::size_t i = 0; i < samples.size(); ++i)
            nearest[i] = std::min(nearest[i], squaredDistance(rows, samples[i], point, squared));
        next = std::size_t(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
    }
    return seeds;
}

Means meansAt(const WeightRows& rows, std::span<const std::size_t> seeds, std::size_t handles) {
    Means means;
    means.count = seeds.size();
    means.by_handle.assign(handles * means.count, 0.0);
    for (std::size_t k = 0; k < seeds.size(); ++k)
        for (std::size_t e = rows.offsets[seeds[k]]; e < rows.offsets[seeds[k] + 1]; ++e)
            means.by_handle[rows.columns[e] * means.count + k] = rows.values[e];
    means.measure(handles);
    return means;
}

/// Moves every mean to the mean of its rows; one without rows does not change.
void moveMeans(const WeightRows& rows, std::span<const std::size_t> samples, std::span<const std::uint32_t> labels,
               std::size_t handles, Means& means) {
    std::vector<double> sums(means.by_handle.size(), 0.0), members(means.count, 0.0);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        members[labels[i]] += 1;
        for (std::size_t e = rows.offsets[samples[i]]; e < rows.offsets[samples[i] + 1]; ++e)
            sums[rows.columns[e] * means.count + labels[i]] += rows.values[e];
    }
    for (std::size_t h = 0; h < handles; ++h)
        for (std::size_t k = 0; k < means.count; ++k)
            if (members[k] > 0) means.by_handle[h * means.count + k] = sums[h * means.count + k] / members[k];
    means.measure(handles);
}

std::vector<std::uint32_t> withoutGaps(std::span<const std::uint32_t> labels, std::span<const std::size_t> filled,
                                       std::size_t rows, std::size_t count) {
    constexpr std::uint32_t kNone = ~0u;
    std::vector<std::uint32_t> number(count, kNone), out(rows, 0);
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < filled.size(); ++i) {
        std::uint32_t& n = number[labels[i]];
        if (n == kNone) n = next++;
        out[filled[i]] = n;
    }
    return out;
}

}  // namespace

std::vector<std::uint32_t> clusterRows(const WeightRows& rows, std::size_t handles, std::size_t count) {
    const std::vector<std::size_t> filled = filledRows(rows);
    if (filled.empty() || count == 0) return std::vector<std::uint32_t>(rows.count(), 0);
    std::vector<std::size_t> samples;
    const std::size_t stride = (filled.size() + kSamples - 1) / kSamples;
    for (std::size_t i = 0; i < filled.size(); i += stride) samples.push_back(filled[i]);
    Means means = meansAt(rows, farthestRows(rows, samples, handles, count), handles);
    std::vector<std::uint32_t> labels(samples.size(), ~0u), before;
    for (int round = 0; round < kClusterRounds; ++round) {
        before = labels;
        assign(rows, samples, means, labels);
        if (labels == before) break;
        moveMeans(rows, samples, labels, handles, means);
    }
    labels.resize(filled.size());
    assign(rows, filled, means, labels);
    return withoutGaps(labels, filled, rows.count(), means.count);
}

}  // namespace pelt::pose
