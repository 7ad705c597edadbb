#pragma once

#include <limits>

#include "rigidity.h"
#include "weight_solver.h"

namespace pelt::fit::examples {

/// Fits one vertex after another; one per thread.
class VertexFitter {
public:
    VertexFitter(const ExamplePoses& poses, const RigidityRanking& ranking, const ExampleFitOptions& options);

    void fit(std::size_t vertex, const Vec3d& rest);
    /// Squared distances from the examples: their sum and the largest.
    std::pair<double, double> errors() const;

    // Results of the last fit:
    std::vector<std::uint32_t> joints;
    Eigen::VectorXd weights;
    Vec3d p;
    std::vector<Vec3d> normals;  ///< at rest; empty if there are none
    std::uint8_t flags = 0;

private:
    std::size_t wanted() const;
    /// Reduces the joints to K, not worse than the K most rigid ones. Affine weights also try the choice of convex
    /// ones: if joints move alike, weights of both signs say little about their importance. Returns the remaining
    /// error.
    double chooseAmong();

    struct Choice {
        std::vector<std::uint32_t> joints;
        Eigen::VectorXd weights;
        std::uint8_t flags = 0;
        double left = std::numeric_limits<double>::infinity();
    };
    void start(const std::vector<std::uint32_t>& from);
    double drop();
    /// Removes the joint with the least influence on the vertex, together with all others without weight if enough are
    /// left.
    double dropLeast();
    double pull(const Vec3d& rest) const;
    /// [MohrGleicher03] §5.2, the first matrix. Returns the residual.
    double solveWeights();
    /// The same for a subset of `ranked_`, from the compressed residuals of the solve with all of them.
    double solveAmong();
    double solveOn();
    /// Below the positions: n_e · Σ w_j T_j t = 0 for two tangents t at rest.
    void addNormalRows();
    Eigen::Matrix<double, 3, 4> blended(std::size_t example) const;
    /// [MohrGleicher03] §5.2, the second matrix, for the step from the given dress pose.
    void solveRest(const Vec3d& rest);
    /// The rest normals that the examples' are nearest to.
    void solveNormals();
    std::span<const Vec3d> givenNormals() const;

    const ExamplePoses& poses_;
    std::size_t vertex_ = 0;
    const ExampleFitOptions& options_;
    const RigidityRanking& ranking_;
    WeightSolver solver_;
    std::vector<Vec3d> trajectory_;
    std::vector<std::uint32_t> ranked_;
    Eigen::MatrixXd residuals_, all_residuals_;
};

}  // namespace pelt::fit::examples
