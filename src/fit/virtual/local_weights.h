#pragma once

#include "fit/decompose/edge_ties.h"

namespace pelt::fit::virtual_bones {

/// Convex weights of every vertex on a few of many bones. Only bones that move a vertex nearly as it moves are
/// considered: vertices are grouped by the bone that fits them best, and those of a group share their candidates. The
/// same input gives the same bits on any number of threads.
class LocalWeights {
public:
    /// `influences`: at most that many bones per vertex; 0: any number.
    LocalWeights(const ssdr::Trajectories& data, const ssdr::Motions& motions, std::size_t influences);

    /// Solves every vertex on the candidates of its group; never worse than on the bones that it has.
    void solve(ssdr::VertexWeights& weights) const;

    /// The same including edges: a vertex is solved for its own samples and for the residuals of its neighbors
    /// (ssdr::VertexPass explains the objective). `chooses`: on all candidates, otherwise on its own bones.
    void sweep(const ssdr::EdgeTies& ties, bool chooses, std::vector<float>& residuals,
               ssdr::VertexWeights& weights) const;

private:
    struct Group {
        std::vector<std::uint32_t> vertices, bones;
        ssdr::Motions motions;
        ssdr::BoneProducts products;
    };

    void rank();
    void gather(Group& group) const;
    void solveSome(const Group& group, std::span<const std::uint32_t> vertices, const ssdr::EdgeTies* ties,
                   bool chooses, std::vector<float>* residuals, ssdr::VertexWeights& weights) const;

    const ssdr::Trajectories& data_;
    const ssdr::Motions& motions_;
    std::size_t influences_;
    std::vector<Group> groups_;
    std::vector<std::uint32_t> group_of_;
};

/// The residuals of all vertices, laid out as the samples are.
std::vector<float> residualsOf(const ssdr::Trajectories& data, const ssdr::Motions& motions,
                               const ssdr::VertexWeights& weights);

}  // namespace pelt::fit::virtual_bones
