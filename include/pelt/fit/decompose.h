#pragma once

#include <pelt/core/affine.h>
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

/// How a vertex comes to its K bones.
enum class Association {
    solved,   ///< weights on all bones first, then those go whose absence costs least, [LeDeng12] §3.2
    closest,  ///< the K bones that fit it best alone, as in [Kavan10]: for comparison
};

/// What a decomposition is asked for, [LeDeng12].
struct DecomposeOptions {
    std::size_t bones = 20;
    std::size_t influences = 4;  ///< K: at most so many bones per vertex; 0: any number
    BoneKind kind = BoneKind::rigid;
    int max_iterations = 100;
    double convergence = 4e-3;         ///< stops when an iteration improves E_RMS by less than this fraction
    bool correct_rest = true;          ///< moves the rest pose at the end to where the bones explain the frames best
    bool correct_rest_always = false;  ///< in every iteration too, as in [LeDeng12] Table 3: for comparison
    Association association = Association::solved;
    /// The share that the edges' vectors have in what is minimized, against the vertices' places: 0 (cracks between
    /// vertices with different bones) to just below 1.
    double smoothness = 0.87;
    std::uint64_t seed =
        0;  ///< 0: clusters are split at their worst vertex; others: at one of the worst, another start

    /// Motions that are kept as they are, as Decomposition::motion holds them (frames x kept_bones); the bones beyond
    /// them, up to `bones`, are found.
    std::vector<Affine3d> kept_motion;
    std::size_t kept_bones = 0;
    /// Weights that are kept for the vertices that have any; empty, or one row per vertex. They refer to the bones
    /// above.
    SkinWeights kept_weights;
};

/// What one step of the algorithm left of what is minimized, (1 - s) E + s E_edges, as E_RMS: E_RMS itself in the first
/// turns, which go without the edges, and with smoothness 0.
struct DecomposeStep {
    std::string name;  ///< "initialise", "weights", "bones", "reinitialise", "rest"
    double e_rms = 0;
};

/// A skin and its animation: v_i^t ≈ Σ_j w_ij M_j^t p_i, [LeDeng12] Eq. 1.
struct Decomposition {
    std::vector<Vec3f> rest;  ///< p, corrected where that was asked for
    SkinWeights weights;      ///< convex, at most K per vertex
    std::size_t bones = 0, frames = 0;
    std::vector<Affine3d> motion;  ///< M_j^t at [t * bones + j], from rest space to the frame's space
    double e_rms = 0, rms = 0, max = 0;
    std::vector<DecomposeStep> steps;  ///< in order; never rising but at a re-initialization
    int reinitialised = 0;             ///< bones that had lost their vertices and started anew

    std::span<const Affine3d> pose(std::size_t frame) const { return {motion.data() + frame * bones, bones}; }
};

/// Smooth skinning decomposition [LeDeng12]: bones, weights and an animation that reproduce the frames. Holds the
/// frames once, as float. The same input and seed give the same bits on any number of threads.
///
/// `rest` has one position per vertex; `triangles` may be empty (needed for smoothness only). Bones beyond what the
/// data can use (more than vertices) still come out, without weights and at rest. Throws Error (bad input) for frames
/// of another size, none at all or numbers that are not finite, (bad usage) for options outside their range, cancelled
/// if `progress` asks for a stop.
Decomposition decompose(MeshSequence& frames, std::span<const Vec3f> rest, std::span<const Triangle> triangles,
                        const DecomposeOptions& options, const Progress& progress = {});

/// One trial of the search for the number of bones.
struct BoneCountTrial {
    std::size_t bones = 0;
    double e_rms = 0;
};

/// The smallest number of bones, up to `options.bones`, whose error is at most `tolerance` (E_RMS); the best there is
/// where none reaches it. `trials` gets every number tried, in ascending order of bones.
Decomposition decomposeTo(double tolerance, MeshSequence& frames, std::span<const Vec3f> rest,
                          std::span<const Triangle> triangles, const DecomposeOptions& options,
                          std::vector<BoneCountTrial>& trials, const Progress& progress = {});

}  // namespace pelt::fit
