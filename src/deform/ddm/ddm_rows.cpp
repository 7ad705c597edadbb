#include "ddm_rows.h"

#include <pelt/core/parallel.h>

#include <algorithm>

namespace pelt::deform {
namespace {

/// Joints with less than this part in a vertex go, where a limit is set: they move it by less than a ten thousandth of
/// what they move themselves, relative to the others.
constexpr double kInvisible = 1e-4;

struct Entry {
    std::uint32_t joint = 0;
    double moments[kMoments] = {};
    double psi = 0;

    double omega() const { return moments[kMoments - 1]; }
};

/// p_i of Eq. 11 rev., from Σ Ψ, and what Ψ's weights sum to (1 up to what a cutoff left out).
struct Center {
    double p[4] = {};  ///< homogeneous, 1 last
    double sum = 0;
};

Center centerOf(const VertexChannels& psi, std::size_t v) {
    Center center;
    for (std::size_t e = psi.offsets[v]; e < psi.offsets[v + 1]; ++e)
        for (int c = 0; c < 4; ++c) center.p[c] += psi.values[e * kMoments + 6 + c];
    center.sum = center.p[3];
    for (double& x : center.p) x /= center.sum;
    return center;
}

/// Ω_ij = (1 - α) Ψ_ij + α w'_ij [p p^T p; p^T 1], joints ascending.   [LeLewis19] Eq. 11 rev.
void appendOmega(const OmegaParts& parts, std::size_t v, std::vector<Entry>& entries) {
    const VertexChannels& psi = parts.psi;
    const Center center = centerOf(psi, v);
    const double* p = center.p;
    const double pp[kMoments] = {p[0] * p[0], p[0] * p[1], p[0] * p[2], p[1] * p[1], p[1] * p[2],
                                 p[2] * p[2], p[0],        p[1],        p[2],        1};
    const double alpha = parts.weights ? parts.alpha[v] : 0;
    double weight_sum = 0;
    std::size_t w = 0, w_end = 0;
    if (alpha > 0) {
        w = parts.weights->offsets[v];
        w_end = parts.weights->offsets[v + 1];
        for (std::size_t e = w; e < w_end; ++e) weight_sum += parts.weights->values[e];
    }
    std::size_t e = psi.offsets[v];
    const std::size_t end = psi.offsets[v + 1];
    while (e < end || w < w_end) {
        Entry entry;
        const std::uint32_t in_psi = e < end ? psi.joints[e] : ~0u;
        const std::uint32_t in_weights = w < w_end ? parts.weights->joints[w] : ~0u;
        entry.joint = std::min(in_psi, in_weights);
        if (in_psi == entry.joint) {
            for (std::size_t c = 0; c < kMoments; ++c)
                entry.moments[c] = (1 - alpha) * psi.values[e * kMoments + c] / center.sum;
            entry.psi = psi.values[e * kMoments + kMoments - 1] / center.sum;
            ++e;
        }
        if (in_weights == entry.joint) {
            const double blend = alpha * parts.weights->values[w] / weight_sum;
            for (std::size_t c = 0; c < kMoments; ++c) entry.moments[c] += blend * pp[c];
            ++w;
        }
        entries.push_back(entry);
    }
}

/// Keeps the largest and divides by the sum of their ω, or translations are lost.
void prune(std::vector<Entry>& entries, std::size_t influences) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return a.omega() != b.omega() ? a.omega() > b.omega() : a.joint < b.joint;
    });
    if (influences > 0) {
        if (entries.size() > influences) entries.resize(influences);
        while (entries.size() > 1 && entries.back().omega() < kInvisible && entries.back().psi < kInvisible)
            entries.pop_back();
    }
    double omega = 0, psi = 0;
    for (const Entry& e : entries) {
        omega += e.omega();
        psi += e.psi;
    }
    for (Entry& e : entries) {
        for (double& m : e.moments) m /= omega;
        e.psi = psi > 0 ? e.psi / psi : e.omega();
    }
}

/// The entries about their own centre: Ω' = T(-p) Ω T(-p)^T, p of the entries that were kept.
void appendRow(const std::vector<Entry>& entries, const Vec3d& origin, DdmRows<double>& rows) {
    double p[3] = {};
    for (const Entry& e : entries)
        for (int c = 0; c < 3; ++c) p[c] += e.moments[6 + c];
    for (const Entry& e : entries) {
        const double* m = e.moments;
        const double w = e.omega();
        const auto second = [&](int index, int a, int b) {
            return m[index] - p[a] * m[6 + b] - p[b] * m[6 + a] + w * p[a] * p[b];
        };
        rows.joints.push_back(e.joint);
        rows.blocks.push_back({second(0, 0, 0), second(1, 0, 1), second(2, 0, 2), second(3, 1, 1), second(4, 1, 2),
                               second(5, 2, 2), m[6] - p[0] * w, m[7] - p[1] * w, m[8] - p[2] * w, w});
        rows.psi.push_back(e.psi);
    }
    rows.offsets.push_back(std::uint32_t(rows.joints.size()));
    rows.centers.push_back(origin + Vec3d{p[0], p[1], p[2]});
}

/// `from`'s rows in the order that `which` names them.
DdmRows<double> pick(const DdmRows<double>& from, std::span<const std::uint32_t> which) {
    DdmRows<double> rows;
    std::size_t entries = 0;
    for (const std::uint32_t v : which) entries += from.influenceCount(v);
    rows.offsets.reserve(which.size() + 1);
    rows.joints.reserve(entries);
    rows.blocks.reserve(entries);
    rows.psi.reserve(entries);
    rows.centers.reserve(which.size());
    for (const std::uint32_t v : which) {
        const auto first = from.offsets[v], last = from.offsets[v + 1];
        rows.joints.insert(rows.joints.end(), from.joints.begin() + first, from.joints.begin() + last);
        rows.blocks.insert(rows.blocks.end(), from.blocks.begin() + first, from.blocks.begin() + last);
        rows.psi.insert(rows.psi.end(), from.psi.begin() + first, from.psi.begin() + last);
        rows.offsets.push_back(std::uint32_t(rows.joints.size()));
        rows.centers.push_back(from.centers[v]);
    }
    return rows;
}

void append(const DdmRows<double>& part, DdmRows<double>& rows) {
    const std::uint32_t base = rows.offsets.back();
    for (std::size_t v = 1; v < part.offsets.size(); ++v) rows.offsets.push_back(base + part.offsets[v]);
    rows.joints.insert(rows.joints.end(), part.joints.begin(), part.joints.end());
    rows.blocks.insert(rows.blocks.end(), part.blocks.begin(), part.blocks.end());
    rows.psi.insert(rows.psi.end(), part.psi.begin(), part.psi.end());
    rows.centers.insert(rows.centers.end(), part.centers.begin(), part.centers.end());
}

}  // namespace

DdmRows<double> makeRows(const OmegaParts& parts, std::span<const std::uint32_t> welded, std::size_t influences) {
    constexpr std::size_t kGrain = 4096;
    const std::size_t count = parts.alpha.size();
    std::vector<DdmRows<double>> chunks((count + kGrain - 1) / kGrain);
    parallelFor(count, kGrain, [&](std::size_t first, std::size_t last) {
        DdmRows<double>& chunk = chunks[first / kGrain];
        std::vector<Entry> entries;
        for (std::size_t v = first; v < last; ++v) {
            entries.clear();
            appendOmega(parts, v, entries);
            prune(entries, influences);
            appendRow(entries, parts.origin, chunk);
        }
    });
    DdmRows<double> rows;
    for (DdmRows<double>& chunk : chunks) {
        append(chunk, rows);
        chunk = {};
    }
    return welded.size() == count ? rows : pick(rows, welded);
}

}  // namespace pelt::deform
