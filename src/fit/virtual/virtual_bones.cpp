// Virtual bones: block coordinate descent over places, blocks and weights. [Le21] is known to us by its abstract; what
// follows is our own solver.
//
// A bone starts as the row of a vertex of Direct Delta Mush. In rounds, bones are added where they save most
// (additions.cpp), the blocks of all bones are improved by Gauss–Newton on the true output, nearest rotations included
// (bone_refine.cpp), and weights are solved on the bones that move a vertex alike (local_weights.cpp). All this happens
// on some of the vertices; the weights of all come last, with edges included so that no facets show.
#include <pelt/core/scramble.h>
#include <pelt/fit/virtual_bones.h>
#include <pelt/runtime/rotation.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "virtual_problem.h"

namespace pelt::fit {
namespace {

using namespace virtual_bones;

constexpr std::size_t kRounds = 8;  ///< in which bones are added
constexpr int kTurnsPerRound = 3;   ///< of blocks and weights
constexpr int kLastTurns = 6;
constexpr int kRelocations = 4;     ///< rounds in which the least useful bones are placed anew
constexpr double kRelocated = 0.1;  ///< of the bones
constexpr int kSweepsPerTurn = 2;   ///< over the blocks of all bones
constexpr std::size_t kVerticesPerBone = 192, kLeastVertices = 8192,
                      kMostVertices = 24576;  ///< that bones are fitted to
constexpr double kEdgeShare = 0.87;           ///< of edges in the objective of the last weights
constexpr int kEdgeSweeps = 8;
constexpr double kLeastBlock = 1e-3;  ///< ω; joints with less do not drive a bone
constexpr double kExact = 1e-14;      ///< of the squared length of all samples: nothing is left to gain

/// Vertices without a pattern, ascending.
std::vector<std::uint32_t> someVertices(std::size_t all, std::size_t bones) {
    std::vector<std::uint32_t> some(all);
    std::iota(some.begin(), some.end(), 0u);
    const std::size_t wanted = std::clamp(kVerticesPerBone * bones, kLeastVertices, kMostVertices);
    if (all <= wanted) return some;
    std::nth_element(some.begin(), some.begin() + std::ptrdiff_t(wanted), some.end(),
                     [](std::uint32_t a, std::uint32_t b) { return scrambled(a) < scrambled(b); });
    some.resize(wanted);
    std::sort(some.begin(), some.end());
    return some;
}

/// The bones and their weights on some of the vertices.
class Placement {
public:
    Placement(const Problem& problem, const VirtualBonesOptions& options, const Progress& progress)
        : problem_(problem), options_(options), progress_(progress), weights_(problem.data.vertices) {
        const double squared = std::accumulate(problem.data.squared.begin(), problem.data.squared.end(), 0.0);
        exact_ = kExact * squared;
        motions_ = problem_.motionsOf(bones_);
        solve();
    }

    std::vector<VirtualBone> run() {
        for (std::size_t round = 1; round <= kRounds; ++round) {
            const std::size_t wanted = options_.bones * round / kRounds;
            if (wanted > bones_.size()) {
                add(wanted - bones_.size());
                turn(kTurnsPerRound);
            }
            report(0.5 * double(round) / kRounds);
        }
        turn(kLastTurns);
        for (int i = 0; i < kRelocations && !bones_.empty() && error() > exact_; ++i) {
            relocate();
            report(0.6 + 0.2 * i / kRelocations);
        }
        return bones_;
    }

private:
    void report(double done) {
        done_ = done;
        progress_.report("bake", done);
    }

    double error() const {
        double sum = 0;
        for (const auto& w : weights_) sum += w.error;
        return sum;
    }

    void solve() {
        const LocalWeights solver(problem_.data, motions_, options_.influences);
        solver.solve(weights_);
    }

    std::vector<float> residuals() const { return residualsOf(problem_.data, motions_, weights_); }

    void add(std::size_t count) {
        if (count == 0 || error() <= exact_) return;
        for (const std::uint32_t v : bestAdditions(problem_, residuals(), weights_, count))
            bones_.push_back(withoutSmallBlocks(problem_.rows[v], kLeastBlock));
        motions_ = problem_.motionsOf(bones_);
        solve();
    }

    void turn(int turns) {
        for (int i = 0; i < turns && error() > exact_; ++i) {
            report(done_);
            const ssdr::VertexSums sums =
                ssdr::sumVertices(problem_.data, ssdr::tieEdges(problem_.data, {}), weights_, motions_.bones);
            refineBones(sums, problem_.poses, problem_.joints.size(), kSweepsPerTurn, bones_, motions_);
            solve();
        }
    }

    /// Removes the bones that are needed least and adds as many where they save most, if that is better.
    void relocate() {
        const Placement before = *this;
        const auto losses = lossesOf(problem_, motions_, problem_.joints.size(), residuals(), weights_);
        std::vector<std::size_t> order(bones_.size());
        std::iota(order.begin(), order.end(), std::size_t(0));
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return losses[a] < losses[b]; });
        order.resize(std::max<std::size_t>(1, std::size_t(kRelocated * double(order.size()))));
        std::sort(order.begin(), order.end());
        std::vector<VirtualBone> kept;
        for (std::size_t k = 0; k < bones_.size(); ++k)
            if (!std::binary_search(order.begin(), order.end(), k)) kept.push_back(bones_[k]);
        bones_ = std::move(kept);
        motions_ = problem_.motionsOf(bones_);
        weights_.assign(problem_.data.vertices, {});
        solve();
        add(options_.bones - bones_.size());
        turn(kTurnsPerRound);
        if (error() >= before.error()) restore(before);
    }

    void restore(const Placement& other) {
        bones_ = other.bones_;
        motions_ = other.motions_;
        weights_ = other.weights_;
    }

    const Problem& problem_;
    const VirtualBonesOptions& options_;
    const Progress& progress_;
    std::vector<VirtualBone> bones_;
    ssdr::Motions motions_;
    ssdr::VertexWeights weights_;
    double exact_ = 0, done_ = 0;
};

/// Σ c |r_i - r_n|² over the edges.
double edgeError(const ssdr::EdgeTies& ties, const std::vector<float>& residuals, std::size_t dimensions) {
    double sum = 0;
    for (std::size_t v = 0; v < ties.edges.vertexCount(); ++v)
        for (std::size_t e = ties.begin(v); e < ties.end(v); ++e) {
            const std::size_t n = ties.edges.neighbors[e];
            if (n < v) continue;
            double squared = 0;
            for (std::size_t d = 0; d < dimensions; ++d) {
                const double step = double(residuals[v * dimensions + d]) - double(residuals[n * dimensions + d]);
                squared += step * step;
            }
            sum += ties.strength[e] * squared;
        }
    return sum;
}

/// The weights of all vertices. Edges are included with their share of the error, as in a decomposition.
ssdr::VertexWeights solveAll(const Problem& problem, std::span<const Triangle> triangles,
                             const std::vector<VirtualBone>& bones, std::size_t influences, const Progress& progress) {
    const ssdr::Motions motions = problem.motionsOf(bones);
    const LocalWeights solver(problem.data, motions, influences);
    ssdr::VertexWeights weights(problem.data.vertices);
    solver.solve(weights);
    ssdr::EdgeTies ties = ssdr::tieEdges(problem.data, triangles);
    std::vector<float> residuals = residualsOf(problem.data, motions, weights);
    double error = 0;
    for (const auto& w : weights) error += w.error;
    const double tied = edgeError(ties, residuals, problem.data.dimensions());
    const double squared = std::accumulate(problem.data.squared.begin(), problem.data.squared.end(), 0.0);
    if (error <= kExact * squared || !(tied > 0)) return weights;
    ssdr::scaleTies(ties, kEdgeShare / (1 - kEdgeShare) * error / tied);
    for (int sweep = 0; sweep < kEdgeSweeps; ++sweep) {
        progress.report("bake", 0.85 + 0.15 * sweep / kEdgeSweeps);
        solver.sweep(ties, sweep % 2 == 0, residuals, weights);
    }
    return weights;
}

/// One bone per vertex that follows more than one joint.
void takeEveryVertex(const Problem& problem, std::vector<VirtualBone>& bones, ssdr::VertexWeights& weights) {
    for (const VirtualBone& row : problem.rows) {
        const auto joint = std::lower_bound(problem.joints.begin(), problem.joints.end(), row.blocks.front().joint);
        auto bone = std::uint32_t(joint - problem.joints.begin());
        if (row.blocks.size() > 1) {
            bone = std::uint32_t(problem.joints.size() + bones.size());
            bones.push_back(row);
        }
        weights.push_back({{bone}, {1.0}, 0});
    }
}

/// Blocks in the frame of the virtual joint: `bound` is its rotation and position in the bind pose.
rig::DrivenVirtual drivenOf(const VirtualBone& bone, const Skeleton& skeleton, const Affine3d& bound) {
    const Mat3d r = bound.linear(), back = transposed(r);
    rig::DrivenVirtual joint;
    for (const JointBlock& block : bone.blocks) {
        const Joint& slot = skeleton.joints[block.joint];
        rig::VirtualInput input{slot.node, slot.inverse_bind * bound, {}};
        const Mat3d w = back * block.w * r;
        const Vec3d turn = back * block.turn, move = back * block.move;
        for (int c = 0; c < 3; ++c) {
            for (int i = 0; i < 3; ++i) input.block[std::size_t(4 * c + i)] = w(i, c);
            input.block[std::size_t(4 * c + 3)] = turn[c];
            input.block[std::size_t(12 + c)] = move[c];
        }
        input.block[15] = block.weight;
        joint.inputs.push_back(input);
    }
    return joint;
}

VirtualSkin skinOf(const Problem& problem, const std::vector<VirtualBone>& bones, const ssdr::VertexWeights& weights,
                   const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven) {
    VirtualSkin skin{skeleton, {driven.begin(), driven.end()}, 0, {}};
    std::vector<std::uint32_t> slot = problem.joints;
    std::vector<bool> used(problem.joints.size() + bones.size(), false);
    for (const auto& w : weights)
        for (const std::uint32_t bone : w.bones) used[bone] = true;
    for (std::size_t k = 0; k < bones.size(); ++k) {
        slot.push_back(std::uint32_t(skin.skeleton.joints.size()));
        if (!used[problem.joints.size() + k]) continue;
        const VirtualBone bone = problem.toFile(bones[k]);
        const Mat3d base = inverse(skeleton.joints[bone.blocks.front().joint].inverse_bind).linear();
        const Affine3d bound(runtime::boneRotation(base), bone.center);
        rig::addVirtualJoint(skin.skeleton, drivenOf(bone, skeleton, bound), bound, skin.driven);
        ++skin.bones;
    }
    for (const auto& w : weights) {
        std::vector<std::uint32_t> joints;
        for (const std::uint32_t bone : w.bones) joints.push_back(slot[bone]);
        const std::vector<float> values(w.values.begin(), w.values.end());
        appendVertex(skin.weights, joints, values);
    }
    return skin;
}

}  // namespace

VirtualSkin fitVirtualBones(std::span<const Vec3f> rest, std::span<const Triangle> triangles, const Skeleton& skeleton,
                            std::span<const rig::DrivenJoint> driven, const DdmRows<float>& rows,
                            const SkinSamples& samples, const VirtualBonesOptions& options, const Progress& progress) {
    const Problem problem(rest, skeleton, rows, samples);
    std::vector<VirtualBone> bones;
    ssdr::VertexWeights weights;
    if (options.bones >= rest.size()) {
        takeEveryVertex(problem, bones, weights);
    } else {
        const Problem some(problem, someVertices(rest.size(), options.bones));
        bones = Placement(some, options, progress).run();
        weights = solveAll(problem, triangles, bones, options.influences, progress);
    }
    return skinOf(problem, bones, weights, skeleton, driven);
}

}  // namespace pelt::fit
