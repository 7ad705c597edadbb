#pragma once

#include <Eigen/SparseCholesky>

#include "biharmonic_system.h"

namespace pelt::bind::bbw {

/// The energy over some of the rows, with everything needed to solve for them.
///
/// With F the free rows and A all others,
///     Q_FF = L_FF M_F⁻¹ L_FF + L_FA M_A⁻¹ L_AF,
/// and the second term is nonzero only on the boundary of F: conjugate gradients with the first as preconditioner need
/// about twenty iterations, however fine the mesh is. It needs a Cholesky factor of the Laplacian L_FF, which has a
/// tenth of the entries of a factor of Q_FF.
class FreeBlock {
public:
    /// `rows` ascending; `row_of`: work space with one number per row of the system, all -1 before and after.
    FreeBlock(const BiharmonicSystem& system, std::vector<int> rows, std::vector<int>& row_of);

    const std::vector<int>& rows() const { return rows_; }
    bool canPrecondition() const { return laplacian_.info() == Eigen::Success; }

    Eigen::VectorXd multiply(const Eigen::VectorXd& x) const { return energy_ * x; }
    Eigen::VectorXd precondition(const Eigen::VectorXd& r) const {
        return laplacian_.solve(mass_.cwiseProduct(laplacian_.solve(r)));
    }
    /// Solves with a factor of Q_FF itself, slowly. Throws Error (bad input) if there is none.
    Eigen::VectorXd solve(const Eigen::VectorXd& right) const;

private:
    using Cholesky = Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::NaturalOrdering<int>>;

    std::vector<int> rows_;
    Matrix energy_;
    Cholesky laplacian_;
    Eigen::VectorXd mass_;
};

}  // namespace pelt::bind::bbw
