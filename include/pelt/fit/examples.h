#pragma once

#include <pelt/core/affine.h>
#include <pelt/core/mesh_sequence.h>
#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>

#include <optional>
#include <span>
#include <vector>

namespace pelt::fit {

/// Poses of a skeleton and the vertex positions in these poses.
struct ExamplePoses {
    std::size_t joints = 0, vertices = 0, examples = 0;
    std::vector<Affine3d> bones;           ///< from rest space to the example's, at [example * joints + joint]
    std::vector<Vec3d> positions;          ///< at [example * vertices + vertex]
    std::vector<Vec3d> rest_normals = {};  ///< unit; one per vertex, as many as `normal_rows` says, or none
    std::vector<Vec3d> normals = {};       ///< of the examples, unit: at [example * rest_normals.size() + normal]
    /// The normals of each vertex, of which a hard edge has several. Without rows there is one per vertex.
    CompressedRows normal_rows = {};

    std::span<const Affine3d> pose(std::size_t example) const { return {bones.data() + example * joints, joints}; }
    std::span<const Vec3d> mesh(std::size_t example) const { return {positions.data() + example * vertices, vertices}; }
    std::span<const Vec3d> normalsOf(std::size_t example) const {
        if (normals.empty()) return {};
        return {normals.data() + example * rest_normals.size(), rest_normals.size()};
    }
    std::size_t firstNormal(std::size_t vertex) const {
        return normal_rows.rowCount() == 0 ? vertex : normal_rows.offsets[vertex];
    }
    std::size_t normalCount(std::size_t vertex) const {
        return normal_rows.rowCount() == 0 ? std::size_t(!rest_normals.empty()) : normal_rows.rowSize(vertex);
    }
};

/// Reads every frame. `bones` has `joints` entries per frame. Throws Error (bad input) if the sizes do not match.
ExamplePoses readExamples(MeshSequence& frames, std::vector<Affine3d> bones, std::size_t joints);

enum class WeightKind {
    convex,  ///< not negative, sum 1: can be stored in files
    affine,  ///< sum 1, as in [MohrGleicher03]
};

struct ExampleFitOptions {
    std::size_t influences = 4;  ///< K: maximal number of joints per vertex; 0: all
    /// 0: uses the K most rigid joints, as in the paper. Above K: solves for weights on this many of the most rigid
    /// joints, then drops those that matter least. Better if there are many extra joints, and slower.
    std::size_t candidates = 0;
    WeightKind weights = WeightKind::convex;
    bool correct_rest = true;  ///< optimizes the rest pose ("dress pose") and its normals
    /// An error of 1 in a normal counts as much as this distance; 0: normals do not change weights. The error is that
    /// of the normals that skinning evaluates, by the cofactor of the blended transform.
    double normals_length = 0;
    /// Affine weights: a step of 1 away from the convex ones costs as much as an error of this distance in every
    /// example; 0: only what the examples do not determine stays at the convex ones.
    double ridge_length = 0;
    /// Convex weights: for the dress pose and normals of the affine fit, so that one mesh has both skins.
    bool share_rest = false;
    int iterations = 4;            ///< maximal number of iterations (weights, then dress pose)
    double convergence = 1e-3;     ///< a vertex is done when an iteration improves it by less than this fraction
    double rest_pull = 1e-4;       ///< weight of the distance to the given rest pose, relative to one example
    double rank_tolerance = 1e-6;  ///< singular values below this fraction of the largest count as zero
};

/// Sparse weights that may be negative; ordered by decreasing absolute value, then by joint. They sum to 1 for each
/// vertex.
using ExampleWeights = JointWeights<double>;

/// What the examples do not determine at a vertex, [MohrGleicher03] §5.2; these directions are not changed.
enum RankFlags : std::uint8_t {
    kWeightsOpen = 1,  ///< other weights on the same joints reproduce them equally well
    kRestOpen = 2,     ///< other dress-pose positions do so
};

struct ExampleFit {
    ExampleWeights weights;
    std::vector<Vec3d> rest;             ///< the dress pose, corrected if requested
    std::vector<Vec3d> rest_normals;     ///< of the dress pose, as ExamplePoses has them
    double rms = 0, max = 0, e_rms = 0;  ///< over all examples; e_rms as in SequenceError
    /// Angle between the normals that skinning evaluates and those of the examples, root mean square in degrees; none
    /// without normals.
    std::optional<double> normals_degrees;
    std::vector<double> vertex_rms;            ///< per vertex
    std::vector<std::uint8_t> rank_deficient;  ///< per vertex, RankFlags; 0 if the examples determine everything
};

/// Fits a linear blend skin to examples, [MohrGleicher03] §5: each vertex uses the K joints relative to which it moves
/// most rigidly; then weights and dress pose are solved alternately. `rest` has one position per vertex. The same input
/// gives the same bits on any number of threads, and equal vertices get equal weights.
///
/// Throws Error: bad input for sizes that do not match, no examples or joints, and numbers that are not finite; bad
/// usage for options outside their range; cancelled if `progress` requests it.
ExampleFit fitExamples(std::span<const Vec3d> rest, const ExamplePoses& examples, const ExampleFitOptions& options = {},
                       const Progress& progress = {});

/// Convex weights for the dress pose and normals of an affine fit. Throws as fitExamples does.
ExampleFit fitConvexOn(const ExampleFit& affine, const ExamplePoses& examples, ExampleFitOptions options,
                       const Progress& progress = {});

/// Evaluates the fitted skin in a pose of all joints; `out` has one entry per vertex.
void playFit(const ExampleFit& fit, std::span<const Affine3d> bones, std::span<Vec3d> out);

/// The sum of squared angles (in radians) between the normals of an example and those that the fitted skin has there.
double squaredNormalAngles(const ExampleFit& fit, const ExamplePoses& examples, std::size_t example);

/// The weights for a file. Throws Error (bad usage) if some are negative.
SkinWeights toSkinWeights(const ExampleWeights& weights);

/// Those of the `joints` joints that no vertex uses, ascending.
std::vector<std::uint32_t> unusedJoints(const ExampleWeights& weights, std::size_t joints);

/// The examples with only some of their joints, in the order given.
ExamplePoses withJoints(const ExamplePoses& examples, std::span<const std::uint32_t> joints);

/// Which of the joints beyond the first `core_joints` are worth having.
struct ExtraJointChoice {
    std::vector<std::uint32_t> joints;  ///< ascending; all at least core_joints
    std::vector<std::uint32_t> order;   ///< the same in the order in which they were chosen
    std::vector<double> rms;            ///< without any of them, then after each step, over the sampled vertices
};

/// Chooses the joint that reduces the error most, then the next, until there are `most` or none reduces the squared
/// error by a thousandth. Fits samples of the vertices and examples, so that the time hardly depends on their number.
/// Throws as fitExamples does.
ExtraJointChoice chooseExtraJoints(std::span<const Vec3d> rest, const ExamplePoses& examples, std::size_t core_joints,
                                   std::size_t most, const ExampleFitOptions& options = {},
                                   const Progress& progress = {});

/// How well fits predict poses that they have not seen.
struct ExampleValidation {
    double rms = 0, max = 0;                ///< over all examples, each predicted from a fit to the others
    std::optional<double> normals_degrees;  ///< as in ExampleFit
    std::vector<double> example_rms;        ///< per example
    std::vector<double> joint_rms;  ///< per joint, over the vertices whose heaviest joint it is; 0 if there are none
};

/// Cross-validation that leaves each example out once. Throws as fitExamples does, and Error (bad input) for fewer than
/// two examples.
ExampleValidation validateExamples(std::span<const Vec3d> rest, const ExamplePoses& examples,
                                   const ExampleFitOptions& options = {}, const Progress& progress = {});

}  // namespace pelt::fit
