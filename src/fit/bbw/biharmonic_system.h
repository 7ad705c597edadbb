#pragma once

#include <pelt/geometry/laplacian.h>

#include <Eigen/SparseCore>

namespace pelt::fit::bbw {

using Matrix = Eigen::SparseMatrix<double>;

/// What all handles share: the energy ½ wᵀ Q w with Q = L M⁻¹ L, its rows in the order of elimination, and the
/// vertices whose weights are given.
struct BiharmonicSystem {
    std::vector<std::uint32_t> vertex;          ///< per row
    std::vector<std::vector<int>> handle_rows;  ///< per handle
    std::vector<int> owners;                    ///< per row: how many handles have it; 0: its weights are sought
    std::vector<int> cell;                      ///< per row: the handle fewest edges away; -1: no handle reaches it
    double mean_ring = 1;                       ///< how many edges away, on average over the rows that are sought
    Matrix laplacian, energy;                   ///< L and Q, both triangles
    Eigen::VectorXd mass;

    int size() const { return int(vertex.size()); }
    /// Nothing is sought at a row that handles hold or none reaches.
    bool isGiven(int row) const { return owners[std::size_t(row)] > 0 || cell[std::size_t(row)] < 0; }
};

BiharmonicSystem biharmonicSystem(const geometry::Laplacian& laplacian, std::span<const double> mass,
                                  std::span<const std::vector<std::uint32_t>> handles);

}  // namespace pelt::fit::bbw
