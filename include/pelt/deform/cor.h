#pragma once

#include <pelt/core/ddm_payload.h>
#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>

namespace pelt::deform {

/// Numbers of [LeHodgins16].
struct CorOptions {
    double sigma = 0.1;  ///< how different the weights of a vertex and a triangle may be to count as alike
    /// Triangles whose weights on two joints fall into the same square of this size count as one; 0: none do, exact.
    double weight_cell = 1.0 / 128;
};

using CorField = OptionField<CorOptions, double>;
std::span<const CorField> corFields();

/// Optimised centres of rotation, one per vertex, in rest space:
///     p_i = Σ_t s(w_i, w_t) a_t c_t / Σ_t s(w_i, w_t) a_t
/// over triangles of area a_t, centroid c_t and mean weights w_t; s says how alike two sets of weights blend. A vertex
/// on one joint, or like no triangle, is its own centre. Vertices with equal weights have the same centre to the bit,
/// unless it is their own position.
/// Throws Error (bad input) for weights that do not fit the mesh or triangles that name missing vertices, (bad usage)
/// for options outside their range.
std::vector<Vec3d> corCenters(const Mesh& rest, const SkinWeights& weights, const CorOptions& options = {},
                              const Progress& progress = {});

/// Skinning about optimised centres, x = R_i (u - p_i) + Σ_j w_j M_j p_i with R_i of the blended quaternions, as rows
/// to pack with DdmForm::v4: ω = ψ = w, all other moments zero. Throws Error as corCenters does.
DdmRows<float> corRows(const Mesh& rest, const SkinWeights& weights, const CorOptions& options = {},
                       const Progress& progress = {});

}  // namespace pelt::deform
