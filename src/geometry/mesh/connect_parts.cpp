// Connects parts of a mesh that lie side by side.
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/geometry/connect_parts.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

namespace pelt::geometry {
namespace {

/// Vertices by the grid cell that they lie in; a cell is as wide as the search radius.
class PointGrid {
public:
    using Cell = std::array<double, 3>;  ///< integers stored as doubles, which cannot overflow

    PointGrid(std::span<const Vec3f> points, std::span<const std::uint32_t> chosen, double cell)
        : points_(points), cell_(cell) {
        for (const std::uint32_t v : chosen) entries_.emplace_back(cellOf(v), v);
        std::sort(entries_.begin(), entries_.end());
    }

    template <class Visit>
    void visitNear(std::uint32_t vertex, const Visit& visit) const {
        const Cell at = cellOf(vertex);
        for (int x = -1; x <= 1; ++x)
            for (int y = -1; y <= 1; ++y) {
                // Cells are sorted by x, y, then z, so that three neighbors in z are consecutive.
                const Entry from{{at[0] + x, at[1] + y, at[2] - 1}, 0};
                const Cell last{at[0] + x, at[1] + y, at[2] + 1};
                for (auto e = std::lower_bound(entries_.begin(), entries_.end(), from);
                     e != entries_.end() && e->first <= last; ++e)
                    visit(e->second);
            }
    }

private:
    using Entry = std::pair<Cell, std::uint32_t>;

    Cell cellOf(std::uint32_t v) const {
        const Vec3f& p = points_[v];
        return {std::floor(p.x / cell_), std::floor(p.y / cell_), std::floor(p.z / cell_)};
    }

    std::span<const Vec3f> points_;
    double cell_;
    std::vector<Entry> entries_;
};

double reachOf(const Laplacian& laplacian, std::span<const Vec3f> positions) {
    double sum = 0;
    std::size_t edges = 0;
    for (std::uint32_t v = 0; v < positions.size(); ++v) {
        const Vec3d p(positions[v]);
        for (const std::uint32_t n : laplacian.edges.of(v)) sum += length(Vec3d(positions[n]) - p);
        edges += laplacian.edges.of(v).size();
    }
    return std::max(2 * sum / double(std::max<std::size_t>(edges, 1)), 0.005 * boundingDiagonal(positions));
}

/// Per part, whether it has more than one label.
std::vector<bool> mixedParts(const ConnectedParts& parts, std::span<const std::uint32_t> labels) {
    std::vector<bool> mixed(parts.count);
    std::vector<std::uint32_t> first(parts.count, kNoLabel);
    for (std::size_t v = 0; v < labels.size(); ++v) {
        std::uint32_t& label = first[parts.part[v]];
        if (label == kNoLabel) label = labels[v];
        if (labels[v] != label) mixed[parts.part[v]] = true;
    }
    return mixed;
}

double meanWeight(const Laplacian& laplacian, std::uint32_t v) {
    return laplacian.diagonal[v] / double(std::max<std::size_t>(laplacian.edges.of(v).size(), 1));
}

}  // namespace

PartTies tieParts(const Laplacian& laplacian, std::span<const Vec3f> positions, std::span<const std::uint32_t> labels) {
    const ConnectedParts parts = connectedParts(laplacian.edges);
    if (parts.count < 2) return {};
    const std::vector<bool> mixed = mixedParts(parts, labels);
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t v = 0; v < positions.size(); ++v)
        if (labels[v] != kNoLabel && laplacian.diagonal[v] > 0) chosen.push_back(v);
    if (chosen.empty()) return {};

    const double reach = reachOf(laplacian, positions);
    if (!(reach > 0) || !std::isfinite(reach)) return {};
    const PointGrid grid(positions, chosen, reach);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const std::uint32_t v : chosen) {
        if (!mixed[parts.part[v]]) continue;
        double best = reach;
        std::uint32_t nearest = kNoLabel;
        grid.visitNear(v, [&](std::uint32_t n) {
            if (parts.part[n] == parts.part[v] || labels[n] != labels[v]) return;
            const double distance = length(Vec3d(positions[n]) - Vec3d(positions[v]));
            if (distance < best || (distance == best && n < nearest)) {
                best = distance;
                nearest = n;
            }
        });
        if (nearest != kNoLabel) pairs.emplace_back(std::min(v, nearest), std::max(v, nearest));
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    PartTies ties;
    for (const auto& [a, b] : pairs)
        ties.edges.push_back({a, b, (meanWeight(laplacian, a) + meanWeight(laplacian, b)) / 2});
    if (ties.edges.empty()) return ties;
    ties.rigid.resize(positions.size());
    for (std::size_t v = 0; v < positions.size(); ++v) ties.rigid[v] = !mixed[parts.part[v]];
    return ties;
}

Laplacian withEdges(const Laplacian& laplacian, std::span<const ExtraEdge> edges) {
    const std::size_t count = laplacian.vertexCount();
    struct Half {
        std::uint32_t from, to;
        double weight;
    };
    std::vector<Half> halves;
    halves.reserve(2 * edges.size());
    for (const ExtraEdge& e : edges) {
        if (e.a >= count || e.b >= count) throw Error::badUsage("an extra edge uses a missing vertex");
        if (!(e.weight > 0) || !std::isfinite(e.weight)) throw Error::badUsage("an extra edge needs a positive weight");
        if (e.a == e.b) continue;
        halves.push_back({e.a, e.b, e.weight});
        halves.push_back({e.b, e.a, e.weight});
    }
    std::sort(halves.begin(), halves.end(), [](const Half& x, const Half& y) {
        return std::tie(x.from, x.to, x.weight) < std::tie(y.from, y.to, y.weight);
    });
    Laplacian result;
    result.edges.offsets.assign(1, 0);
    result.diagonal = laplacian.diagonal;
    auto half = halves.begin();
    for (std::uint32_t v = 0; v < count; ++v) {
        const std::size_t first = result.edges.neighbors.size();
        std::size_t e = laplacian.edges.offsets[v];
        const std::size_t end = laplacian.edges.offsets[v + 1];
        while (e < end || (half != halves.end() && half->from == v)) {
            const bool old =
                e < end && (half == halves.end() || half->from != v || laplacian.edges.neighbors[e] <= half->to);
            const std::uint32_t n = old ? laplacian.edges.neighbors[e] : half->to;
            const double w = old ? laplacian.weights[e++] : (half++)->weight;
            if (!old) result.diagonal[v] += w;
            if (result.edges.neighbors.size() > first && result.edges.neighbors.back() == n) {
                result.weights.back() += w;
            } else {
                result.edges.neighbors.push_back(n);
                result.weights.push_back(w);
            }
        }
        result.edges.offsets.push_back(std::uint32_t(result.edges.neighbors.size()));
    }
    return result;
}

}  // namespace pelt::geometry
