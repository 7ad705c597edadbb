#pragma once

#include <pelt/core/tet_mesh.h>
#include <pelt/core/vec.h>
#include <pelt/pose/pose.h>

#include <span>
#include <vector>

#include "pose/fast/weight_rows.h"

namespace pelt::pose {

/// c_ijk of one edge in one set.
struct EdgeTerm {
    std::uint32_t i = 0, j = 0, set = 0;
    double c = 0;
};

/// The edge sets E_k of an energy; the sum of an edge's c over all sets is its weight in the Laplacian.
struct EdgeSets {
    std::size_t count = 0;
    std::vector<EdgeTerm> terms;  ///< by increasing set; none with c = 0
};

/// Edge sets of triangles (any energy except tets) over welded vertices.
EdgeSets surfaceSets(Energy energy, std::span<const Vec3d> positions, std::span<const Triangle> triangles);
EdgeSets tetSets(const TetMesh& volume);

/// The position of each set in weight space: the mean of its corners' weights.
WeightRows setRows(const EdgeSets& sets, const WeightRows& rows);

}  // namespace pelt::pose
