#pragma once

#include <pelt/core/affine.h>
#include <pelt/core/mesh_sequence.h>
#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>

#include <span>
#include <vector>

namespace pelt::fit {

/// Poses of a skeleton with the vertices that belong to them.
struct ExamplePoses {
    std::size_t joints = 0, vertices = 0, examples = 0;
    std::vector<Affine3d> bones;           ///< from rest space to the example's, at [example * joints + joint]
    std::vector<Vec3d> positions;          ///< at [example * vertices + vertex]
    std::vector<Vec3d> rest_normals = {};  ///< one a vertex, or none
    std::vector<Vec3d> normals = {};       ///< of the examples, as the positions; or none

    std::span<const Affine3d> pose(std::size_t example) const { return {bones.data() + example * joints, joints}; }
    std::span<const Vec3d> mesh(std::size_t example) const { return {positions.data() + example * vertices, vertices}; }
    std::span<const Vec3d> normalsOf(std::size_t example) const {
        if (normals.empty()) return {};
        return {normals.data() + example * vertices, vertices};
    }
};

/// Reads every frame. `bones` has `joints` entries a frame. Throws Error (bad input) where the sizes do not match.
ExamplePoses readExamples(MeshSequence& frames, std::vector<Affine3d> bones, std::size_t joints);

enum class WeightKind {
    convex,  ///< not negative, sum 1: what files can hold
    affine,  ///< sum 1, as in [MohrGleicher03]
};

struct ExampleFitOptions {
    std::size_t influences = 4;  ///< K: so many joints a vertex; 0: all
    /// 0: the K most rigid joints, as in the paper. Above K: weights on so many of the most rigid
    /// ones first, then those go that matter least. Better where many extra joints compete, and slower.
    std::size_t candidates = 0;
    WeightKind weights = WeightKind::convex;
    bool correct_rest = true;  ///< moves the dress pose to where the joints explain the examples best
    /// An error of 1 in a normal counts like this distance; 0: normals are not looked at. They enter as the joints'
    /// inverse transposes blend them, without being made units again, which keeps the problem linear.
    double normals_length = 0;
    int iterations = 4;            ///< at most so many times weights, then dress pose
    double convergence = 1e-3;     ///< a vertex is done when an iteration improves it by less than this fraction
    double rest_pull = 1e-4;       ///< cost of a dress pose that leaves the given one, relative to one example
    double rank_tolerance = 1e-6;  ///< singular values below this fraction of the largest count as zero
};

/// Sparse weights that may be negative; the largest in size first, ties by lower joint. They sum to 1 for each vertex.
using ExampleWeights = JointWeights<double>;

/// What the examples leave open at a vertex, [MohrGleicher03] §5.2; such directions are left as they were.
enum RankFlags : std::uint8_t {
    kWeightsOpen = 1,  ///< other weights on the same joints explain them as well
    kRestOpen = 2,     ///< other dress-pose positions do
};

struct ExampleFit {
    ExampleWeights weights;
    std::vector<Vec3d> rest;                   ///< the dress pose, corrected where that was asked for
    double rms = 0, max = 0, e_rms = 0;        ///< over all examples; e_rms as SequenceError has it
    std::vector<double> vertex_rms;            ///< per vertex
    std::vector<std::uint8_t> rank_deficient;  ///< per vertex, RankFlags; 0 where the examples settle everything
};

/// Fits a linear blend skin to examples, [MohrGleicher03] §5: each vertex takes the K joints it moves with most
/// rigidly, then weights and dress pose in turns. `rest` has one position a vertex. The same input gives the same bits
/// on any number of threads, and equal vertices equal weights.
///
/// Throws Error (bad input) for sizes that do not match, no examples or joints and numbers that are not finite, (bad
/// usage) for options outside their range, cancelled where `progress` asks for it.
ExampleFit fitExamples(std::span<const Vec3d> rest, const ExamplePoses& examples, const ExampleFitOptions& options = {},
                       const Progress& progress = {});

/// What the fitted skin looks like in a pose of all joints; `out` has one entry a vertex.
void playFit(const ExampleFit& fit, std::span<const Affine3d> bones, std::span<Vec3d> out);

/// The weights for a file. Throws Error (bad usage) where some are negative.
SkinWeights toSkinWeights(const ExampleWeights& weights);

/// Joints, of `joints` there are, that no vertex uses, ascending.
std::vector<std::uint32_t> unusedJoints(const ExampleWeights& weights, std::size_t joints);

/// The examples with only some of their joints, in the order given.
ExamplePoses withJoints(const ExamplePoses& examples, std::span<const std::uint32_t> joints);

/// Which of the joints beyond the first `core_joints` are worth having.
struct ExtraJointChoice {
    std::vector<std::uint32_t> joints;  ///< ascending; all of them above core_joints - 1
    std::vector<std::uint32_t> order;   ///< the same in the order in which they were taken
    std::vector<double> rms;            ///< with none of them, then after each step, over what was looked at
};

/// Takes the joint that lowers the error most, then the next, until `most` are taken or none lowers the squared error
/// by a thousandth. Fits samples of the vertices and examples, so that the time hardly depends on their number. Throws
/// as fitExamples does.
ExtraJointChoice chooseExtraJoints(std::span<const Vec3d> rest, const ExamplePoses& examples, std::size_t core_joints,
                                   std::size_t most, const ExampleFitOptions& options = {},
                                   const Progress& progress = {});

/// How well fits predict poses that they have not seen.
struct ExampleValidation {
    double rms = 0, max = 0;          ///< over all examples, each fitted to the others alone
    std::vector<double> example_rms;  ///< per example
    std::vector<double> joint_rms;    ///< per joint, over the vertices that follow it most; 0 where there are none
};

/// Leaves each example out once. Throws as fitExamples does, and Error (bad input) for fewer than two examples.
ExampleValidation validateExamples(std::span<const Vec3d> rest, const ExamplePoses& examples,
                                   const ExampleFitOptions& options = {}, const Progress& progress = {});

}  // namespace pelt::fit
