// Weights of vertices and triangles as sorted rows, with equal rows grouped.
#include "weight_rows.h"

#include <algorithm>
#include <numeric>

namespace pelt::deform {

void WeightRows::append(std::vector<JointWeight>& row) {
    std::stable_sort(row.begin(), row.end(),
                     [](const JointWeight& a, const JointWeight& b) { return a.joint < b.joint; });
    const std::size_t first = entries.size();
    double sum = 0;
    for (const JointWeight& e : row) {
        if (e.weight == 0) continue;
        sum += e.weight;
        if (entries.size() > first && entries.back().joint == e.joint)
            entries.back().weight += e.weight;
        else
            entries.push_back(e);
    }
    for (std::size_t i = first; i < entries.size(); ++i) entries[i].weight /= sum;
    offsets.push_back(entries.size());
}

WeightRows rowsOfVertices(const SkinWeights& weights) {
    WeightRows rows;
    rows.entries.reserve(weights.joints.size());
    std::vector<JointWeight> row;
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        row.clear();
        for (std::size_t i = 0; i < weights.influenceCount(v); ++i)
            row.push_back({weights.jointsOf(v)[i], weights.weightsOf(v)[i]});
        rows.append(row);
    }
    return rows;
}

WeightRows rowsOfTriangles(const WeightRows& vertices, std::span<const Triangle> triangles) {
    WeightRows rows;
    std::vector<JointWeight> row;
    for (const Triangle& t : triangles) {
        row.clear();
        for (const std::uint32_t v : t) row.insert(row.end(), vertices.of(v).begin(), vertices.of(v).end());
        rows.append(row);
    }
    return rows;
}

EqualRows groupEqualRows(const WeightRows& rows) {
    std::vector<std::uint32_t> order(rows.count());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const auto x = rows.of(a), y = rows.of(b);
        const auto less = [](const JointWeight& l, const JointWeight& r) {
            return l.joint != r.joint ? l.joint < r.joint : l.weight < r.weight;
        };
        return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), less);
    });
    EqualRows groups;
    groups.group.resize(rows.count());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto row = rows.of(order[i]);
        const bool again =
            i > 0 && std::equal(row.begin(), row.end(), rows.of(order[i - 1]).begin(), rows.of(order[i - 1]).end());
        if (!again) groups.first.push_back(order[i]);
        groups.group[order[i]] = std::uint32_t(groups.first.size() - 1);
    }
    return groups;
}

}  // namespace pelt::deform
