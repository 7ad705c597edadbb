#pragma once

#include <pelt/core/affine.h>
#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>
#include <pelt/core/vec.h>

#include <span>
#include <vector>

namespace pelt::fit {

/// Finds weights on fewer joints with which linear blend skinning stays as close as possible to a given skin. Poses
/// are added first; they belong to one of two parts, such as clips and a range of motion. Then each vertex is solved by
/// itself: vertices of equal position and weights get equal ones.
class WeightLimiter {
public:
    enum Part { kPlayed, kPossible, kParts };

    /// `rest` and `given` have one entry per vertex. `replaced_by` has, per joint, the joint that takes its place (its
    /// own number if it stays). All must stay alive. Only vertices that have more than `influences` (0: any number)
    /// joints, or a replaced one, are solved.
    WeightLimiter(std::span<const Vec3f> rest, const SkinWeights& given, std::span<const std::uint32_t> replaced_by,
                  std::size_t influences);

    /// What most engines do: the heaviest joints, rescaled to sum 1; weights of replaced joints are added to those of
    /// the joints that take their place.
    const SkinWeights& cut() const { return cut_; }
    /// The number of vertices that are solved.
    std::size_t vertexCount() const { return vertices_.size(); }

    /// A pose, as a map from rest space to posed space for every joint.
    void addPose(Part part, std::span<const Affine3f> bones);

    /// Rows of all vertices: the best weights for the played poses whose error in the possible ones, over all vertices,
    /// is not above that of the cut weights.
    SkinWeights solve(const Progress& progress = {}) const;

private:
    struct Vertex {
        std::uint32_t vertex;
        std::uint32_t first, count;     ///< its joints in joints_
        std::size_t products, columns;  ///< its matrices in products_[part], each `columns` packed numbers
    };
    void addVertex(std::uint32_t vertex);
    std::vector<double> cutWeights(const Vertex& at) const;
    struct Choice {
        std::vector<double> weights;
        double error[kParts];
    };
    std::vector<Choice> choicesFor(const Vertex& at, const double (&scale)[kParts]) const;
    std::vector<std::size_t> choose(const std::vector<std::vector<Choice>>& choices) const;

    std::span<const Vec3f> rest_;
    const SkinWeights& given_;
    std::span<const std::uint32_t> replaced_by_;
    std::size_t influences_;
    SkinWeights cut_, folded_;
    std::vector<Vertex> vertices_;
    std::vector<std::uint32_t> joints_;     ///< joints that vertices may use
    std::vector<double> products_[kParts];  ///< sums over the poses of (M_i x - y)·(M_j x - y), y: the given skin
    std::size_t poses_[kParts] = {};
};

}  // namespace pelt::fit
