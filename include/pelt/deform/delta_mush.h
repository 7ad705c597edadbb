#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/skin_weights.h>
#include <pelt/deform/packed_rig.h>
#include <pelt/geometry/connect_parts.h>
#include <pelt/geometry/local_smoothing.h>
#include <pelt/geometry/welded_surface.h>

#include <memory>

namespace pelt::deform {

/// How the detail that smoothing took away turns with the surface.
enum class DeltaMushFrames {
    procrustes,  ///< the rotation that fits the smoothed neighbourhood best, [LeLewis19] Eq. 5
    tangent,     ///< normal and tangents of the smoothed surface, [Mancewicz14]
};

/// Numbers of [LeLewis19] §3.1. Where split copies of a vertex differ in strength, the lowest one counts.
struct DeltaMushOptions {
    geometry::LaplacianKind laplacian = geometry::LaplacianKind::cotangent;
    geometry::SmoothingKind smoothing = geometry::SmoothingKind::implicit;
    int iterations = 20;
    std::vector<double> lambda;  ///< λ D_λ, one per vertex; empty: 1 everywhere
    DeltaMushFrames frames = DeltaMushFrames::procrustes;
    /// Smooths as if the mesh had these edges between its vertices, such as between parts that lie side by side.
    std::vector<geometry::ExtraEdge> extra_edges;
    float weld_tolerance = 0;
    /// The mesh as it is welded, where that was made before; null, or one of other numbers: made now.
    geometry::SharedSurface surface;
};

/// Iterative Delta Mush [Mancewicz14] over linear blend skinning: what a pose needs, computed once. Immutable and cheap
/// to copy.
struct DeltaMushRig {
    struct Packed;
    std::shared_ptr<const Packed> packed;
};

/// One pose of the whole mesh, skinned and smoothed: every vertex depends on its neighbours, so this is where the work
/// is. Made once per rig, filled for every pose.
class DeltaMushPose {
public:
    explicit DeltaMushPose(const DeltaMushRig& rig);
    ~DeltaMushPose();
    DeltaMushPose(DeltaMushPose&&) noexcept;
    DeltaMushPose& operator=(DeltaMushPose&&) noexcept;

    /// One bone per joint the weights name (more are ignored), from rest space to posed space; bones may scale and
    /// shear. Works on all threads; results are the same bits on any number of them.
    void set(std::span<const Affine3f> bones);

    struct Data;
    const Data& data() const noexcept { return *data_; }

private:
    std::unique_ptr<Data> data_;
};

/// Copies what it needs. Throws Error (bad input) for a mesh without faces or with a position that is not finite, and
/// weights that do not fit it; (bad usage) for numbers outside their range: λ >= 0 (explicit: <= 1), iterations >= 0,
/// one λ per vertex, extra edges between vertices there are.
DeltaMushRig prepareDeltaMush(const Mesh& rest, const SkinWeights& weights, const DeltaMushOptions& options = {});

/// Poses the vertices [first, first + count): x = R_i (u - ũ_i) + ṽ_i, ũ the smoothed rest shape of the rig, ṽ the
/// smoothed skinned one, so that a rest shape with morph targets gets them turned by R_i. `pose` was made for this rig.
/// Normals follow R_i; `out.normals` is left alone where the rest shape has none. Split copies come out bit-equal.
///
/// Disjoint ranges may run on any threads; results are the same bits however the mesh is cut. Nothing outside the
/// range is read of `rest` or written to `out`, which may be the same memory. Sizes are checked by assert.
void evaluate(const DeltaMushRig& rig, const DeltaMushPose& pose, const RestShape& rest, std::size_t first,
              std::size_t count, const Output& out) noexcept;

}  // namespace pelt::deform
