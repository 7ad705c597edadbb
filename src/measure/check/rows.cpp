// Rows of weights: how far apart they are, and rows that continue those around them.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "surface.h"

namespace pelt::measure {

void addTo(Row& row, std::uint32_t joint, float weight) {
    for (Share& share : row)
        if (share.joint == joint) {
            share.weight += weight;
            return;
        }
    row.push_back({joint, weight});
}

void sortRow(Row& row) {
    std::sort(row.begin(), row.end(), [](const Share& a, const Share& b) { return a.joint < b.joint; });
}

double rowDistance(const Row& a, const Row& b) {
    double sum = 0;
    std::size_t i = 0, k = 0;
    while (i < a.size() || k < b.size()) {
        if (k == b.size() || (i < a.size() && a[i].joint < b[k].joint))
            sum += double(a[i++].weight);
        else if (i == a.size() || b[k].joint < a[i].joint)
            sum += double(b[k++].weight);
        else
            sum += std::abs(double(a[i++].weight) - double(b[k++].weight));
    }
    return sum / 2;
}

float weightIn(const Row& row, std::uint32_t joint) {
    for (const Share& share : row)
        if (share.joint == joint) return share.weight;
    return 0;
}

std::uint32_t heaviest(const Row& row) {
    std::uint32_t best = kNone;
    float most = 0;
    for (const Share& share : row)
        if (share.weight > most) most = share.weight, best = share.joint;
    return best;
}

void sharpen(Row& row, float power) {
    double sum = 0;
    for (Share& share : row) sum += double(share.weight = std::pow(share.weight, power));
    for (Share& share : row) share.weight = float(double(share.weight) / sum);
}

Row meanRow(std::span<const Row* const> rows) {
    Row mean;
    for (const Row* row : rows)
        for (const Share& share : *row) addTo(mean, share.joint, share.weight / float(rows.size()));
    sortRow(mean);
    return mean;
}

Row twinRow(const CheckSurface& surface, const Row& row) {
    Row made;
    for (const Share& share : row) {
        if (surface.twins[share.joint] == kNone) return {};
        addTo(made, surface.twins[share.joint], share.weight);
    }
    sortRow(made);
    return made;
}

std::vector<Row> filledRows(const CheckSurface& surface, std::span<const std::uint32_t> points,
                            const std::vector<bool>& unknown) {
    constexpr int kSweeps = 40;
    std::unordered_map<std::uint32_t, std::size_t> at;
    for (std::size_t i = 0; i < points.size(); ++i) at[points[i]] = i;
    std::vector<Row> rows(points.size());
    // Outside in: each ring begins with the mean of the rows that are known beside it; then sweeps smooth them.
    std::vector<const Row*> beside;
    const auto meanAround = [&](std::size_t i) {
        beside.clear();
        for (const std::uint32_t q : surface.around.of(points[i])) {
            const auto found = at.find(q);
            if (found != at.end()) {
                if (!rows[found->second].empty()) beside.push_back(&rows[found->second]);
            } else if (!unknown[q]) {
                beside.push_back(&surface.rows[q]);
            }
        }
        return beside.empty() ? Row() : meanRow(beside);
    };
    for (bool any = true; any;) {
        any = false;
        std::vector<std::pair<std::size_t, Row>> ring;
        for (std::size_t i = 0; i < points.size(); ++i)
            if (rows[i].empty())
                if (Row row = meanAround(i); !row.empty()) ring.emplace_back(i, std::move(row));
        for (auto& [i, row] : ring) rows[i] = std::move(row), any = true;
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep)
        for (std::size_t i = 0; i < points.size(); ++i)
            if (!rows[i].empty()) rows[i] = meanAround(i);
    return rows;
}

std::vector<Row> smoothedRows(const CheckSurface& surface, std::span<const std::uint32_t> points, int sweeps) {
    std::unordered_map<std::uint32_t, std::size_t> at;
    for (std::size_t i = 0; i < points.size(); ++i) at[points[i]] = i;
    std::vector<Row> rows = rowsOf(surface, points), next(points.size());
    std::vector<const Row*> beside;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (std::size_t i = 0; i < points.size(); ++i) {
            beside.assign(1, &rows[i]);
            for (const std::uint32_t q : surface.around.of(points[i])) {
                const auto found = at.find(q);
                beside.push_back(found != at.end() ? &rows[found->second] : &surface.rows[q]);
            }
            next[i] = meanRow(beside);
        }
        rows.swap(next);
    }
    return rows;
}

std::vector<std::uint32_t> ringsAround(const CheckSurface& surface, std::span<const std::uint32_t> points, int rings,
                                       const std::vector<bool>& without) {
    std::vector<bool> inside(surface.count(), false);
    std::vector<std::uint32_t> made(points.begin(), points.end());
    for (const std::uint32_t p : points) inside[p] = true;
    std::size_t first = 0;
    for (int ring = 0; ring < rings; ++ring) {
        const std::size_t last = made.size();
        for (; first < last; ++first)
            for (const std::uint32_t q : surface.around.of(made[first]))
                if (!inside[q] && !without[q]) inside[q] = true, made.push_back(q);
    }
    std::sort(made.begin(), made.end());
    return made;
}

}  // namespace pelt::measure
