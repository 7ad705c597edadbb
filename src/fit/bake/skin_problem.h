#pragma once

#include <pelt/fit/bake.h>
#include <pelt/geometry/adjacency.h>

#include <functional>

#include "fit/decompose/bone_update.h"

namespace pelt::fit::bake {

using Weights = ssdr::SimplexSolver::Weights;

/// The bones of a solve, with their motion over the samples.
struct BoneSet {
    std::vector<std::uint32_t> slots;  ///< of the skeleton; bone b of the motions is slots[b]
    std::vector<std::int32_t> bone;    ///< per slot, -1 if it is not used
    ssdr::Motions motions;
    ssdr::BoneProducts products;
};

/// The samples in the space of the solver (Trajectories), each scaled by the square root of its importance, and the
/// joints that each vertex may use. Weights are in slots of the skeleton and sum to 1 without the locked part.
class SkinProblem {
public:
    SkinProblem(std::span<const Vec3f> rest, const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven,
                const SkinWeights& given, const SkinWeights& reach, SkinSamples samples, const BakeOptions& options,
                const Progress& progress);

    /// Called many times per second while solving, so that it can be stopped.
    void setDone(double fraction) { done_ = fraction; }
    std::size_t vertexCount() const { return data_.vertices; }
    std::size_t sampleCount() const { return data_.frames; }
    const ssdr::Trajectories& data() const { return data_; }
    const std::vector<double>& scale() const { return scale_; }

    /// Helper `slot` lies between the joints of `near`: vertices that may use one of those may use it.
    void allow(std::uint32_t slot, std::span<const std::uint32_t> near);
    /// Vertices that may use a slot, ascending.
    std::vector<std::uint32_t> reachedBy(std::uint32_t slot) const;
    bool isLocked(std::uint32_t slot) const { return slot < locked_.size() && locked_[slot]; }
    bool isFixed(std::size_t vertex) const { return fixed_[vertex] > 1 - 1e-6; }

    /// Per sample, the skin matrices of a skeleton that begins with the given nodes, drivers applied.
    std::vector<std::vector<Affine3d>> poses(const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven) const;
    /// The root-space transforms of the given nodes in one sample; those of added nodes are meaningless.
    std::vector<Affine3d> worlds(const Skeleton& skeleton, std::size_t sample) const;
    std::span<const Affine3d> locals(std::size_t sample) const { return {locals_.data() + sample * nodes_, nodes_}; }

    BoneSet bones(const std::vector<std::vector<Affine3d>>& poses, std::vector<std::uint32_t> slots) const;

    /// Solves the listed vertices on the bones of `set`, or on those of its slots that are `usable` (one entry per
    /// slot).
    void solve(const BoneSet& set, std::span<const std::uint32_t> vertices, std::vector<Weights>& weights,
               const std::vector<bool>* usable = nullptr) const;
    /// body(index into `vertices`, the vertex in the form of the solver, its prior), for usable bones of the set.
    struct Posed {
        const double* projected;
        const std::vector<double>* prior;  ///< per bone of the set; 0: it may not be used
    };
    void forVertices(const BoneSet& set, std::span<const std::uint32_t> vertices,
                     const std::function<void(std::size_t, const Posed&, ssdr::SimplexSolver&)>& body,
                     const std::vector<bool>* usable = nullptr) const;

    /// Solves vertices again for samples shifted by the mean residual of the neighboring vertices. The errors in
    /// `weights` are those relative to the shifted samples.
    void smooth(const BoneSet& set, const geometry::Adjacency& neighbors, std::vector<Weights>& weights);

    std::size_t influencesLeft(std::size_t vertex) const;
    /// The complete skin: locked weights and solved weights.
    SkinWeights wholeWeights(const std::vector<Weights>& weights) const;

private:
    void toSolvedSpace(std::span<const Vec3f> rest, SkinSamples& samples);
    void splitLocked(const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven, const SkinWeights& given);
    Affine3d toSolved(const Affine3d& m, std::size_t sample) const;
    BoneSet usedBy(const BoneSet& set, std::span<const std::uint32_t> vertices, const std::vector<bool>* usable) const;
    void residual(const BoneSet& set, std::size_t vertex, const Weights& weights, float* out) const;
    std::vector<double> visible(const geometry::Adjacency& neighbors) const;
    void averageAround(const std::vector<float>& values, const geometry::Adjacency& neighbors, int passes,
                       std::vector<float>& means) const;
    int smoothingPasses(const geometry::Adjacency& neighbors) const;
    void solveVertex(const BoneSet& set, std::uint32_t vertex, const Posed& posed, ssdr::SimplexSolver& solver,
                     Weights& found) const;

    ssdr::Trajectories data_;
    std::vector<double> scale_;  ///< per sample, the square root of its importance, for errors in units of the radius
    std::vector<Affine3d> locals_;
    std::size_t nodes_ = 0;
    SkinWeights reach_;
    struct Brought {
        std::uint32_t slot;
        double share;
    };
    std::vector<std::vector<Brought>> brings_;  ///< per joint, the slots that a vertex in its reach may use
    std::vector<bool> locked_;
    std::vector<double> fixed_;  ///< per vertex, the sum of its locked weights
    std::vector<Weights> held_;  ///< per vertex, its locked weights
    std::size_t influences_ = 0;
    const Progress& progress_;
    double done_ = 0;
};

}  // namespace pelt::fit::bake
