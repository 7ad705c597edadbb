#pragma once

#include <limits>

#include "rigidity.h"
#include "weight_solver.h"

namespace pelt::fit::examples {

/// The maps of the joints for normals, at [example * joints + joint]; empty if normals are not used. A singular joint
/// has no such map and maps the normal to zero.
std::vector<Mat3d> normalMaps(const ExamplePoses& poses, const ExampleFitOptions& options);

/// Fits one vertex after another; one per thread.
class VertexFitter {
public:
    VertexFitter(const ExamplePoses& poses, const RigidityRanking& ranking, std::span<const Mat3d> normal_maps,
                 const ExampleFitOptions& options);

    void fit(std::size_t vertex, const Vec3d& rest);
    /// Squared distances from the examples: their sum and the largest.
    std::pair<double, double> errors() const;

    // Results of the last fit:
    std::vector<std::uint32_t> joints;
    Eigen::VectorXd weights;
    Vec3d p;
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
    double pull(const Vec3d& rest) const { return options_.rest_pull * dot(p - rest, p - rest); }
    /// [MohrGleicher03] §5.2, the first matrix. Returns the residual.
    double solveWeights();
    /// The same for a subset of `ranked_`, from the compressed residuals of the solve with all of them.
    double solveAmong();
    double solveOn();
    /// Below the positions: the normals, Σ w_j N_j n against those of the examples, with Σ w = 1.
    void addNormalRows();
    /// [MohrGleicher03] §5.2, the second matrix, for the step from the given dress pose.
    void solveRest(const Vec3d& rest);

    const ExamplePoses& poses_;
    std::span<const Mat3d> normal_maps_;
    std::size_t vertex_ = 0;
    const ExampleFitOptions& options_;
    const RigidityRanking& ranking_;
    WeightSolver solver_;
    std::vector<Vec3d> trajectory_;
    std::vector<std::uint32_t> ranked_;
    Eigen::MatrixXd residuals_, all_residuals_;
};

}  // namespace pelt::fit::examples
