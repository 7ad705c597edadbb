#pragma once

#include <pelt/deform/delta_mush.h>

#include "../reference.h"

/// Delta Mush once more, dense and in double precision: what the sparse, welded, centred one is checked against. Takes
/// a mesh that is welded already; memory is the square of its vertices.
namespace pelt::deform::reference {

/// B of [LeLewis19] Eq. 2 by rows, n x n: column i has the parts that all vertices have in the smoothed vertex i.
/// Of the options, those for frames and welding are not looked at.
std::vector<double> smoothingMatrix(std::span<const Vec3d> positions, std::span<const Triangle> triangles,
                                    const DeltaMushOptions& options);

/// Delta Mush with Procrustes frames, as [LeLewis19] Eqs. 1 to 5 read.
void deltaMush(const Shape<double>& rest, const SkinWeights& weights, std::span<const double> smoothing_matrix,
               std::span<const Affine3d> bones, const Result<double>& out);

}  // namespace pelt::deform::reference
