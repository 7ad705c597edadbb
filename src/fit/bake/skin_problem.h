#pragma once

#include <pelt/fit/bake.h>
#include <pelt/geometry/adjacency.h>

#include <functional>

#include "../ssdr/bone_update.h"

namespace pelt::fit::bake {

using Weights = ssdr::SimplexSolver::Weights;

/// Bones that take part in a solve, with their motion over the samples.
struct BoneSet {
    std::vector<std::uint32_t> slots;  ///< of the skeleton; bone b of the motions is slots[b]
    std::vector<std::int32_t> bone;    ///< per slot, -1 where it takes no part
    ssdr::Motions motions;
    ssdr::BoneProducts products;
};

/// The samples in the space that is solved in (Trajectories), each scaled by the root of its importance, and which
/// joints a vertex may use. Weights are in slots of the skeleton and sum to 1 without the locked part.
class SkinProblem {
public:
    SkinProblem(std::span<const Vec3f> rest, const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven,
                const SkinWeights& start, const SkinWeights& reach, SkinSamples samples, const BakeOptions& options);

    std::size_t vertexCount() const { return data_.vertices; }
    std::size_t sampleCount() const { return data_.frames; }
    const ssdr::Trajectories& data() const { return data_; }
    const std::vector<double>& scale() const { return scale_; }

    /// Joints that may stand in for one another at a vertex: `slot` may be used where one of `near` is reached.
    void allow(std::uint32_t slot, std::span<const std::uint32_t> near);
    std::span<const std::uint32_t> reachOf(std::size_t vertex) const {
        return {reach_.data() + reach_begin_[vertex], reach_begin_[vertex + 1] - reach_begin_[vertex]};
    }
    /// Vertices that may use a slot, ascending.
    std::vector<std::uint32_t> reachedBy(std::uint32_t slot) const;
    bool isLocked(std::uint32_t slot) const { return slot < locked_.size() && locked_[slot]; }
    bool isFixed(std::size_t vertex) const { return fixed_[vertex] > 1 - 1e-6; }

    /// Per sample, the skin matrices of a skeleton that begins with the given nodes, drivers applied.
    std::vector<std::vector<Affine3d>> poses(const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven) const;
    /// The root-space transforms of the given nodes in one sample; those of nodes that were added mean nothing.
    std::vector<Affine3d> worlds(const Skeleton& skeleton, std::size_t sample) const;
    std::span<const Affine3d> locals(std::size_t sample) const { return {locals_.data() + sample * nodes_, nodes_}; }

    BoneSet bones(const std::vector<std::vector<Affine3d>>& poses, std::vector<std::uint32_t> slots) const;

    /// Solves the listed vertices on the bones of `set`, or those of its slots that are `usable` (one entry a slot),
    /// starting from their weights.
    void solve(const BoneSet& set, std::span<const std::uint32_t> vertices, std::vector<Weights>& weights,
               const std::vector<bool>* usable = nullptr) const;
    /// body(index into `vertices`, solver), after the solver was given the vertex and the bones it may use.
    void forVertices(const BoneSet& set, std::span<const std::uint32_t> vertices,
                     const std::function<void(std::size_t, ssdr::SimplexSolver&)>& body,
                     const std::vector<bool>* usable = nullptr) const;

    /// Solves vertices whose weights have changed, and their neighbours, again for samples that are moved to where the
    /// vertices around are off by as much: an error that all neighbours share is not seen, one that changes from vertex
    /// to vertex is a wrinkle. Errors are those against the samples as they are.
    void smooth(const BoneSet& set, const geometry::Adjacency& neighbours, std::span<const std::uint32_t> changed,
                std::vector<Weights>& weights);

    std::size_t influencesLeft(std::size_t vertex) const;
    std::vector<Weights> startWeights() const { return start_; }
    /// The whole skin: what is locked and the weights found.
    SkinWeights wholeWeights(const std::vector<Weights>& weights) const;

private:
    void toSolvedSpace(std::span<const Vec3f> rest, SkinSamples& samples);
    void splitLocked(const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven, const SkinWeights& start);
    Affine3d toSolved(const Affine3d& m, std::size_t sample) const;
    BoneSet usedBy(const BoneSet& set, std::span<const std::uint32_t> vertices, const std::vector<bool>* usable) const;
    void solveGroup(const BoneSet& whole, std::span<const std::uint32_t> vertices, std::vector<Weights>& weights,
                    const std::vector<bool>* usable) const;
    void residual(const BoneSet& set, std::size_t vertex, const Weights& weights, float* out) const;
    std::vector<double> visible(const geometry::Adjacency& neighbours) const;
    int smoothingPasses(const geometry::Adjacency& neighbours) const;

    ssdr::Trajectories data_;
    std::vector<double> scale_;  ///< per sample, the root of its importance
    std::vector<Affine3d> locals_;
    std::size_t nodes_ = 0;
    std::vector<std::uint32_t> reach_;                ///< joints of all vertices, one after the other
    std::vector<std::size_t> reach_begin_{0};         ///< where those of a vertex begin
    std::vector<std::vector<std::uint32_t>> brings_;  ///< per joint, the slots that a vertex may use which it reaches
    std::vector<bool> locked_;
    std::vector<double> fixed_;  ///< per vertex, the sum of its locked weights
    std::vector<Weights> held_;  ///< per vertex, its locked weights
    std::vector<Weights> start_;
    std::size_t influences_ = 0;
};

}  // namespace pelt::fit::bake
