// Gives a row to vertices without valid weights, from their neighbors.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "mend.h"

namespace pelt::io::gltf {
namespace {

constexpr std::size_t kMostMended = 4;  ///< maximal number of joints of a repaired row: what every viewer supports

using MendedRow = std::vector<std::pair<std::uint32_t, float>>;  ///< joint, weight

/// Rows by position: vertices of an instance with equal positions are treated as one.
class RowMender {
public:
    RowMender(const Mesh& mesh, const SkinWeights& weights, std::span<const WeightedRange> ranges)
        : mesh_(mesh), weights_(weights), ranges_(ranges), range_of_(mesh.vertexCount(), 0) {
        for (std::uint32_t r = 0; r < ranges.size(); ++r)
            std::fill_n(range_of_.begin() + ranges[r].first, ranges[r].count, r);
        findPlaces();
    }

    std::map<std::uint32_t, MendedRow> mend(std::span<const std::uint32_t> lost) {
        std::vector<char> reached(place_of_.size(), 0);
        given_.resize(place_of_.size());
        for (std::uint32_t v = 0; v < place_of_.size(); ++v) {
            if (weights_.influenceCount(v) == 0 || reached[place_of_[v]]) continue;
            reached[place_of_[v]] = 1;
            given_[place_of_[v]] = v;
        }
        std::vector<Triangle> triangles;
        for (const Triangle& t : mesh_.triangles)
            triangles.push_back({place_of_[t[0]], place_of_[t[1]], place_of_[t[2]]});
        walkRings(triangles, reached, [&](std::uint32_t place, std::span<const std::uint32_t> neighbors) {
            made_[place] = meanRow(neighbors);
        });
        followNearest(triangles, reached, lost);
        std::map<std::uint32_t, MendedRow> rows;
        for (const std::uint32_t v : lost) rows.emplace(v, rowAt(place_of_[v]));
        return rows;
    }

private:
    /// The lowest vertex at the same point of the same instance.
    void findPlaces() {
        const auto key = [&](std::uint32_t v) {
            const Vec3f& p = mesh_.positions[v];
            return std::tuple(ranges_[range_of_[v]].instance, p.x + 0.0F, p.y + 0.0F, p.z + 0.0F, v);
        };
        std::vector<std::uint32_t> order(mesh_.vertexCount());
        for (std::uint32_t v = 0; v < order.size(); ++v) order[v] = v;
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
        place_of_.resize(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            const bool same = i > 0 && mesh_.positions[order[i]] == mesh_.positions[order[i - 1]] &&
                              ranges_[range_of_[order[i]]].instance == ranges_[range_of_[order[i - 1]]].instance;
            place_of_[order[i]] = same ? place_of_[order[i - 1]] : order[i];
        }
    }

    MendedRow rowAt(std::uint32_t place) const {
        if (const auto made = made_.find(place); made != made_.end()) return made->second;
        const std::uint32_t v = given_[place];
        MendedRow row;
        for (std::size_t i = 0; i < weights_.influenceCount(v); ++i)
            row.emplace_back(weights_.jointsOf(v)[i], weights_.weightsOf(v)[i]);
        return row;
    }

    MendedRow meanRow(std::span<const std::uint32_t> places) const {
        std::map<std::uint32_t, float> sums;
        for (const std::uint32_t place : places)
            for (const auto& [joint, weight] : rowAt(place)) sums[joint] += weight;
        MendedRow row(sums.begin(), sums.end());
        std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
        row.resize(std::min(row.size(), kMostMended));
        return row;
    }

    /// Pieces that are not connected to any weight: each as a whole follows the vertex nearest to any of its own.
    void followNearest(std::span<const Triangle> triangles, const std::vector<char>& reached,
                       std::span<const std::uint32_t> lost);
    std::uint32_t nearest(std::span<const std::uint32_t> piece) const;

    const Mesh& mesh_;
    const SkinWeights& weights_;
    std::span<const WeightedRange> ranges_;
    std::vector<std::uint32_t> range_of_, place_of_;
    std::vector<std::uint32_t> given_;         ///< position -> a vertex there that has weights, if there is one
    std::map<std::uint32_t, MendedRow> made_;  ///< position -> its new row
    std::vector<std::uint32_t> by_x_;          ///< vertices with weights, in order of x
};

void RowMender::followNearest(std::span<const Triangle> triangles, const std::vector<char>& reached,
                              std::span<const std::uint32_t> lost) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> around;
    for (const std::uint32_t v : lost)
        if (!reached[place_of_[v]]) around[place_of_[v]];
    if (around.empty()) return;
    for (const Triangle& t : triangles)
        for (int i = 0; i < 3; ++i)
            if (const auto found = around.find(t[i]); found != around.end())
                found->second.insert(found->second.end(), t.begin(), t.end());
    for (std::uint32_t v = 0; v < place_of_.size(); ++v)
        if (weights_.influenceCount(v) > 0) by_x_.push_back(v);
    std::stable_sort(by_x_.begin(), by_x_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return mesh_.positions[a].x < mesh_.positions[b].x; });
    for (const auto& [start, neighbors] : around) {
        if (made_.contains(start)) continue;
        std::vector<std::uint32_t> piece{start};
        made_[start];
        for (std::size_t i = 0; i < piece.size(); ++i)
            for (const std::uint32_t n : around.at(piece[i]))
                if (made_.try_emplace(n).second) piece.push_back(n);
        const std::uint32_t from = nearest(piece);
        const MendedRow row =
            from < place_of_.size() ? rowAt(place_of_[from]) : MendedRow{{ranges_[range_of_[start]].fallback, 1.0F}};
        for (const std::uint32_t place : piece) made_[place] = row;
    }
}

std::uint32_t RowMender::nearest(std::span<const std::uint32_t> piece) const {
    const WeightedRange& own = ranges_[range_of_[piece.front()]];
    const auto none = static_cast<std::uint32_t>(place_of_.size());
    for (const bool same_instance : {true, false}) {
        double best = HUGE_VAL;
        std::uint32_t found = none;
        for (const std::uint32_t p : piece) {
            const Vec3d at(mesh_.positions[p]);
            // Searches outward along x from the vertex, until the distance in x alone exceeds the best.
            const auto look = [&](std::uint32_t v) {
                const Vec3d d = Vec3d(mesh_.positions[v]) - at;
                if (d.x * d.x > best) return false;
                const WeightedRange& range = ranges_[range_of_[v]];
                const bool fits = same_instance ? range.instance == own.instance : range.skin == own.skin;
                if (fits && dot(d, d) < best) best = dot(d, d), found = v;
                return true;
            };
            const auto middle = std::lower_bound(by_x_.begin(), by_x_.end(), at.x, [&](std::uint32_t v, double x) {
                return double(mesh_.positions[v].x) < x;
            });
            for (auto v = middle; v != by_x_.end() && look(*v); ++v) {
            }
            for (auto v = middle; v != by_x_.begin() && look(*--v);) {
            }
        }
        if (found != none) return found;
    }
    return none;
}

}  // namespace

SkinWeights mendRows(const Mesh& mesh, const SkinWeights& weights, std::span<const std::uint32_t> lost,
                     std::span<const WeightedRange> ranges) {
    const std::map<std::uint32_t, MendedRow> rows = RowMender(mesh, weights, ranges).mend(lost);
    SkinWeights out;
    std::vector<std::uint32_t> joints;
    std::vector<float> values;
    for (std::uint32_t v = 0; v < weights.vertexCount(); ++v) {
        if (const auto made = rows.find(v); made != rows.end()) {
            joints.clear(), values.clear();
            for (const auto& [joint, weight] : made->second) joints.push_back(joint), values.push_back(weight);
            appendVertex(out, joints, values);
            continue;
        }
        out.joints.insert(out.joints.end(), weights.jointsOf(v).begin(), weights.jointsOf(v).end());
        out.weights.insert(out.weights.end(), weights.weightsOf(v).begin(), weights.weightsOf(v).end());
        out.offsets.push_back(static_cast<std::uint32_t>(out.joints.size()));
    }
    return out;
}

}  // namespace pelt::io::gltf
