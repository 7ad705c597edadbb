#pragma once

#include <pelt/core/progress.h>
#include <pelt/geometry/laplacian.h>

#include <span>

namespace pelt::geometry {

/// A partition of the vertices into connected patches.
struct Clusters {
    std::vector<std::uint32_t> cluster_of;  ///< per vertex
    std::vector<std::uint32_t> offsets{0};  ///< cluster c owns members[offsets[c]] .. members[offsets[c+1]], ascending
    std::vector<std::uint32_t> members;
    std::vector<Vec3d> centers;  ///< means of the members, weighted

    std::size_t count() const { return centers.size(); }
    std::span<const std::uint32_t> of(std::size_t cluster) const {
        return {members.data() + offsets[cluster], offsets[cluster + 1] - offsets[cluster]};
    }
};

/// Round patches whose centers are about `spacing` apart (per vertex; 0: the vertex is a patch by itself); no patch
/// spans several parts. `weight`: positive, the weight of the vertex in its patch's center. Empty if there would be
/// more than `most`.
Clusters makeClusters(const Adjacency& edges, std::span<const Vec3f> positions, std::span<const double> spacing,
                      std::span<const double> weight, std::size_t most, const Progress& progress);

}  // namespace pelt::geometry
