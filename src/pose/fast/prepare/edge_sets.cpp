// The edge sets E_k and coefficients c_ijk of the as-rigid-as-possible energies [Jacobson12]. Coefficients are scaled
// so that the global matrix is the cotangent Laplacian for every kind of set: cot / 2 for triangles, w_ij / 2 for
// spokes (an edge is in the sets of both ends), cot / 6 for spokes and rims (in the sets of all three corners), the
// tet's own weight for tets. With negative coefficients the energy might have no minimum, so they are clamped to 0, per
// edge for spokes, per corner for the others.
#include "edge_sets.h"

#include <pelt/geometry/tets.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pelt::pose {
namespace {

/// Half the cotangents at the corners of a triangle; 0 without area.
std::array<double, 3> halfCotangents(std::span<const Vec3d> positions, const Triangle& t) {
    std::array<double, 3> half{};
    for (int c = 0; c < 3; ++c) {
        const Vec3d u = positions[t[(c + 1) % 3]] - positions[t[c]], v = positions[t[(c + 2) % 3]] - positions[t[c]];
        const double cotangent = 0.5 * dot(u, v) / length(cross(u, v));
        half[std::size_t(c)] = std::isfinite(cotangent) ? cotangent : 0.0;
    }
    return half;
}

EdgeSets triangleSets(std::span<const Vec3d> positions, std::span<const Triangle> triangles) {
    EdgeSets sets{triangles.size(), {}};
    for (std::uint32_t f = 0; f < triangles.size(); ++f) {
        const Triangle& t = triangles[f];
        const auto half = halfCotangents(positions, t);
        for (std::size_t c = 0; c < 3; ++c)
            if (half[c] > 0) sets.terms.push_back({t[(c + 1) % 3], t[(c + 2) % 3], f, half[c]});
    }
    return sets;
}

void sortBySet(std::vector<EdgeTerm>& terms) {
    std::stable_sort(terms.begin(), terms.end(), [](const EdgeTerm& a, const EdgeTerm& b) { return a.set < b.set; });
}

EdgeSets rimSets(std::span<const Vec3d> positions, std::span<const Triangle> triangles) {
    EdgeSets sets{positions.size(), {}};
    for (const Triangle& t : triangles) {
        const auto half = halfCotangents(positions, t);
        for (std::size_t c = 0; c < 3; ++c)
            if (half[c] > 0)
                for (const std::uint32_t corner : t)
                    sets.terms.push_back({t[(c + 1) % 3], t[(c + 2) % 3], corner, half[c] / 3});
    }
    sortBySet(sets.terms);
    return sets;
}

EdgeSets spokeSets(std::span<const Vec3d> positions, std::span<const Triangle> triangles) {
    std::vector<EdgeTerm> edges;  // once, i < j, with the cotangents of all triangles
    for (const Triangle& t : triangles) {
        const auto half = halfCotangents(positions, t);
        for (std::size_t c = 0; c < 3; ++c) {
            const auto [i, j] = std::minmax(t[(c + 1) % 3], t[(c + 2) % 3]);
            edges.push_back({i, j, i, half[c]});
        }
    }
    std::stable_sort(edges.begin(), edges.end(),
                     [](const EdgeTerm& a, const EdgeTerm& b) { return a.i != b.i ? a.i < b.i : a.j < b.j; });
    EdgeSets sets{positions.size(), {}};
    for (std::size_t e = 0; e < edges.size();) {
        EdgeTerm edge = edges[e];
        for (++e; e < edges.size() && edges[e].i == edge.i && edges[e].j == edge.j; ++e) edge.c += edges[e].c;
        if (!(edge.c > 0)) continue;
        sets.terms.push_back({edge.i, edge.j, edge.i, edge.c / 2});
        sets.terms.push_back({edge.i, edge.j, edge.j, edge.c / 2});
    }
    sortBySet(sets.terms);
    return sets;
}

}  // namespace

EdgeSets surfaceSets(Energy energy, std::span<const Vec3d> positions, std::span<const Triangle> triangles) {
    switch (energy) {
        case Energy::triangles:
            return triangleSets(positions, triangles);
        case Energy::spokes:
            return spokeSets(positions, triangles);
        default:
            return rimSets(positions, triangles);
    }
}

EdgeSets tetSets(const TetMesh& volume) {
    EdgeSets sets{volume.tets.size(), {}};
    for (std::uint32_t t = 0; t < volume.tets.size(); ++t) {
        const auto cotangents = geometry::tetCotangents(volume, t);
        for (std::size_t e = 0; e < 6; ++e) {
            const auto [a, b] = geometry::kTetEdges[e];
            if (cotangents[e] > 0) sets.terms.push_back({volume.tets[t][a], volume.tets[t][b], t, cotangents[e]});
        }
    }
    return sets;
}

WeightRows setRows(const EdgeSets& sets, const WeightRows& rows) {
    WeightRows out;
    std::vector<std::uint32_t> corners;
    std::vector<std::pair<std::uint32_t, double>> entries;
    std::size_t term = 0;
    for (std::uint32_t set = 0; set < sets.count; ++set) {
        corners.clear();
        entries.clear();
        for (; term < sets.terms.size() && sets.terms[term].set == set; ++term) {
            corners.push_back(sets.terms[term].i);
            corners.push_back(sets.terms[term].j);
        }
        std::sort(corners.begin(), corners.end());
        corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
        for (const std::uint32_t v : corners)
            for (std::size_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
                entries.emplace_back(rows.columns[e], rows.values[e] / double(corners.size()));
        std::stable_sort(entries.begin(), entries.end(), [](auto& a, auto& b) { return a.first < b.first; });
        for (std::size_t e = 0; e < entries.size(); ++e) {
            if (e > 0 && entries[e].first == entries[e - 1].first)
                out.values.back() += entries[e].second;
            else
                out.append(entries[e].first, entries[e].second);
        }
        out.endRow();
    }
    return out;
}

}  // namespace pelt::pose
