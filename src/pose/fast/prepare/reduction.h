#pragma once

#include <Eigen/Core>

#include "edge_sets.h"
#include "pose/fast/rig_data.h"

namespace pelt::pose {

/// The mesh whose energy is measured, in scaled space: the welded surface, or the volume.
struct Elements {
    std::vector<Vec3d> positions;
    WeightRows rows;  ///< with extra weights
    EdgeSets sets;
    std::vector<std::uint32_t> cluster;  ///< of each set
    std::size_t clusters = 0;
};

/// A = M^T L M, [Jacobson12]'s global system with V' = M T substituted.
Eigen::MatrixXd systemMatrix(const Elements& elements, std::span<const ColumnFrame> frames);

/// K with S = K T: three rows for each cluster, Σ c_ijk (v_i - v_j) (M_i - M_j).
Eigen::MatrixXd covarianceMatrix(const Elements& elements, std::span<const ColumnFrame> frames);

/// Calls `use(row of T, coefficient)` for the entries of row `vertex` of M.
template <class Use>
void forRow(const WeightRows& rows, std::size_t vertex, const Vec3d& position, std::span<const ColumnFrame> frames,
            const Use& use) {
    for (std::size_t e = rows.offsets[vertex]; e < rows.offsets[vertex + 1]; ++e) {
        const ColumnFrame& frame = frames[rows.columns[e]];
        const Vec3d local = (position - frame.center) / frame.scale;
        const std::size_t first = 4 * std::size_t(rows.columns[e]);
        for (int a = 0; a < 3; ++a) use(first + std::size_t(a), rows.values[e] * local[a]);
        use(first + 3, rows.values[e]);
    }
}

}  // namespace pelt::pose
