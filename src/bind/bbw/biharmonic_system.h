#pragma once

#include <pelt/geometry/laplacian.h>

#include <Eigen/SparseCore>

namespace pelt::bind::bbw {

using Matrix = Eigen::SparseMatrix<double>;

/// Data shared by all handles: the energy ½ wᵀ Q w with Q = L M⁻¹ L, its rows in elimination order, and the vertices
/// with given weights.
struct BiharmonicSystem {
    std::vector<std::uint32_t> vertex;          ///< per row
    std::vector<std::vector<int>> handle_rows;  ///< per handle
    std::vector<int> owners;                    ///< per row: number of handles that constrain it; 0: unknown weights
    std::vector<int> cell;                      ///< per row: the handle fewest edges away; -1: no handle reaches it
    double mean_ring = 1;                       ///< mean number of edges to the handle, over the unknown rows
    Matrix laplacian, energy;                   ///< L and Q, both triangles
    Eigen::VectorXd mass;

    int size() const { return int(vertex.size()); }
    /// A row that is held by handles or reached by none has no unknowns.
    bool isGiven(int row) const { return owners[std::size_t(row)] > 0 || cell[std::size_t(row)] < 0; }
};

BiharmonicSystem biharmonicSystem(std::span<const Vec3d> positions, const geometry::Laplacian& laplacian,
                                  std::span<const double> mass, std::span<const std::vector<std::uint32_t>> handles);

}  // namespace pelt::bind::bbw
