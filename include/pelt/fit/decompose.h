#pragma once

#include <pelt/core/affine.h>
#include <pelt/core/enum_words.h>
#include <pelt/core/mesh_sequence.h>
#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>

#include <span>
#include <string>
#include <vector>

namespace pelt::fit {

enum class BoneKind {
    rigid,     ///< rotation and translation
    flexible,  ///< any affine map
};

}  // namespace pelt::fit

template <>
inline constexpr std::string_view pelt::kEnumWords<pelt::fit::BoneKind>[] = {"rigid", "flexible"};

namespace pelt::fit {

/// How the K bones of a vertex are chosen.
enum class Association {
    solved,   ///< solve for weights on all bones, then drop those that matter least, [LeDeng12] §3.2
    closest,  ///< the K bones that fit best individually, as in [Kavan10]: for comparison
};

/// Options of the decomposition, [LeDeng12].
struct DecomposeOptions {
    std::size_t bones = 20;
    std::size_t influences = 4;  ///< K: maximal number of bones per vertex; 0: any number
    BoneKind kind = BoneKind::rigid;
    int max_iterations = 100;
    double convergence = 4e-3;         ///< stops when an iteration improves E_RMS by less than this fraction
    bool correct_rest = true;          ///< optimizes the rest pose at the end
    bool correct_rest_always = false;  ///< also in every iteration, as in [LeDeng12] Table 3: for comparison
    Association association = Association::solved;
    /// Weight of edge vectors relative to vertex positions in the objective: from 0 (cracks between vertices with
    /// different bones) to below 1.
    double smoothness = 0.87;
    std::uint64_t seed =
        0;  ///< 0: clusters are split at their worst vertex; otherwise at one of the worst, for a different start

    /// Motions to keep, in the layout of Decomposition::motion (frames x kept_bones); the other bones, up to `bones`,
    /// are computed.
    std::vector<Affine3d> kept_motion;
    std::size_t kept_bones = 0;
    /// Weights to keep, for the vertices that have any; empty, or one row per vertex. They refer to the bones above.
    SkinWeights kept_weights;
};

/// The objective (1 - s) E + s E_edges after one step of the algorithm, as E_RMS. It is E_RMS itself with smoothness 0
/// and in the first iterations, which ignore the edges.
struct DecomposeStep {
    std::string name;  ///< "initialize", "weights", "bones", "reinitialize", "rest"
    double e_rms = 0;
};

/// A skin and its animation: v_i^t ≈ Σ_j w_ij M_j^t p_i, [LeDeng12] Eq. 1.
struct Decomposition {
    std::vector<Vec3f> rest;  ///< p, corrected if requested
    SkinWeights weights;      ///< convex, at most K joints per vertex
    std::size_t bones = 0, frames = 0;
    std::vector<Affine3d> motion;  ///< M_j^t at [t * bones + j], from rest space to the frame's space
    double e_rms = 0, rms = 0, max = 0;
    std::vector<DecomposeStep> steps;  ///< in order; never increasing except at a re-initialization
    int reinitialized = 0;             ///< number of bones that had lost their vertices and were initialized again

    std::span<const Affine3d> pose(std::size_t frame) const { return {motion.data() + frame * bones, bones}; }
};

/// Smooth skinning decomposition [LeDeng12]: bones, weights and an animation that reproduce the frames. Keeps one copy
/// of the frames in memory, as float. The same input and seed give the same bits on any number of threads.
///
/// `rest` has one position per vertex; `triangles` may be empty (needed for smoothness only). Bones that the data
/// cannot use (more than vertices) are returned without weights and at rest. Throws Error: bad input for frames of
/// another size, no frames or numbers that are not finite; bad usage for options outside their range; cancelled if
/// `progress` requests it.
Decomposition decompose(MeshSequence& frames, std::span<const Vec3f> rest, std::span<const Triangle> triangles,
                        const DecomposeOptions& options, const Progress& progress = {});

/// One trial of the search for the number of bones.
struct BoneCountTrial {
    std::size_t bones = 0;
    double e_rms = 0;
};

/// The smallest number of bones, up to `options.bones`, whose error is at most `tolerance` (E_RMS), or the best result
/// if none reaches it. `trials` receives every number tried, in ascending order.
Decomposition decomposeTo(double tolerance, MeshSequence& frames, std::span<const Vec3f> rest,
                          std::span<const Triangle> triangles, const DecomposeOptions& options,
                          std::vector<BoneCountTrial>& trials, const Progress& progress = {});

}  // namespace pelt::fit
