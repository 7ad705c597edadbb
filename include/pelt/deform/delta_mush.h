#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/skin_weights.h>
#include <pelt/deform/packed_rig.h>
#include <pelt/geometry/connect_parts.h>
#include <pelt/geometry/local_smoothing.h>
#include <pelt/geometry/welded_surface.h>

#include <memory>

namespace pelt::deform {

/// How the detail removed by smoothing is rotated with the surface.
enum class DeltaMushFrames {
    procrustes,  ///< the best-fit rotation of the smoothed neighborhood, [LeLewis19] Eq. 5
    tangent,     ///< normal and tangents of the smoothed surface, [Mancewicz14]
};

/// Parameters of [LeLewis19] §3.1. If split copies of a vertex differ in λ, that of the lowest index is used.
struct DeltaMushOptions {
    geometry::LaplacianKind laplacian = geometry::LaplacianKind::cotangent;
    geometry::SmoothingKind smoothing = geometry::SmoothingKind::implicit;
    int iterations = 20;
    std::vector<double> lambda;  ///< λ D_λ, one per vertex; empty: 1 everywhere
    DeltaMushFrames frames = DeltaMushFrames::procrustes;
    /// Additional edges for smoothing, for example between parts that lie side by side.
    std::vector<geometry::ExtraEdge> extra_edges;
    float weld_tolerance = 0;
    /// The welded mesh, if it was made before. If it is null or was made with other options, it is made again.
    geometry::SharedSurface surface;
};

/// Iterative Delta Mush [Mancewicz14] over linear blend skinning, or over what another deformer made: the precomputed
/// data that poses need. Immutable and cheap to copy.
struct DeltaMushRig {
    struct Packed;
    std::shared_ptr<const Packed> packed;
};

/// One pose of the whole mesh, skinned and smoothed. Since every vertex depends on its neighbors, most of the work is
/// done here. Make one per rig and set it for every pose.
class DeltaMushPose {
public:
    explicit DeltaMushPose(const DeltaMushRig& rig);
    ~DeltaMushPose();
    DeltaMushPose(DeltaMushPose&&) noexcept;
    DeltaMushPose& operator=(DeltaMushPose&&) noexcept;

    /// One bone per joint that the weights use (more are ignored), from rest space to posed space; bones may scale and
    /// shear. Uses all threads; the results have the same bits on any number of threads.
    void set(std::span<const Affine3f> bones);
    /// The same over positions that another deformer made in this pose, one per vertex of the mesh, in place of the
    /// skinned ones; of split copies, that of the lowest index is used. Bones only rotate vertices that are not
    /// smoothed.
    void set(std::span<const Affine3f> bones, std::span<const Vec3f> deformed);

    struct Data;
    const Data& data() const noexcept { return *data_; }

private:
    std::unique_ptr<Data> data_;
};

/// Copies what it needs. Throws Error (bad input) for a mesh without faces or with a position that is not finite, and
/// for weights that do not match it; (bad usage) for values outside their range: λ >= 0 (explicit: <= 1), iterations >=
/// 0, one λ per vertex, extra edges between existing vertices.
DeltaMushRig prepareDeltaMush(const Mesh& rest, const SkinWeights& weights, const DeltaMushOptions& options = {});

/// Poses the vertices [first, first + count): x = R_i (u - ũ_i) + ṽ_i, ũ the smoothed rest shape of the rig, ṽ the
/// smoothed skinned one, so that morph targets in the rest shape are rotated by R_i. `pose` was made for this rig.
/// Normals are rotated by R_i; `out.normals` is not written if the rest shape has none. Split copies get bit-identical
/// positions.
///
/// Disjoint ranges may run on any threads; the results have the same bits however the mesh is divided. Outside the
/// range, nothing is read from `rest` or written to `out`; both may be the same memory. Sizes are checked by assert.
void evaluate(const DeltaMushRig& rig, const DeltaMushPose& pose, const RestShape& rest, std::size_t first,
              std::size_t count, const Output& out) noexcept;

}  // namespace pelt::deform
