#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>
#include <pelt/rig/ddm_payload.h>

namespace pelt::deform {

/// Parameters of [LeHodgins16].
struct CorOptions {
    double sigma = 0.1;  ///< how different the weights of a vertex and a triangle may be to count as similar
    /// Triangles whose weights on two joints are in the same square of this size are merged; 0: none are, the sum is
    /// exact.
    double weight_cell = 1.0 / 128;
};

using CorField = OptionField<CorOptions, double>;
std::span<const CorField> corFields();

/// Optimized centers of rotation, one per vertex, in rest space:
///     p_i = Σ_t s(w_i, w_t) a_t c_t / Σ_t s(w_i, w_t) a_t
/// over triangles of area a_t, centroid c_t and mean weights w_t; s is the similarity of two sets of weights. A vertex
/// with one joint, or similar to no triangle, is its own center. Vertices with equal weights have bit-identical
/// centers, unless these are their own positions. Throws Error (bad input) for weights that do not match the mesh or
/// triangles with missing vertices, (bad usage) for options outside their range.
std::vector<Vec3d> corCenters(const Mesh& rest, const SkinWeights& weights, const CorOptions& options = {},
                              const Progress& progress = {});

/// Skinning about optimized centers, x = R_i (u - p_i) + Σ_j w_j M_j p_i with R_i of the blended quaternions, as rows
/// for packing with DdmForm::v4: ω = ψ = w, all other moments zero. Throws Error as corCenters does.
DdmRows<float> corRows(const Mesh& rest, const SkinWeights& weights, const CorOptions& options = {},
                       const Progress& progress = {});

}  // namespace pelt::deform
