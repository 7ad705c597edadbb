#pragma once

#include <pelt/deform/delta_mush.h>

#include "deform/reference.h"

/// A dense reference implementation of Delta Mush in double precision, to check the sparse, welded, centered one. The
/// mesh must be welded; memory grows with the square of its vertices.
namespace pelt::deform::reference {

/// B of [LeLewis19] Eq. 2 by rows, n x n: column i has the weights of all vertices in the smoothed vertex i. The
/// options for frames and welding are ignored.
std::vector<double> smoothingMatrix(std::span<const Vec3d> positions, std::span<const Triangle> triangles,
                                    const DeltaMushOptions& options);

/// Delta Mush with Procrustes frames over any deformed shape, [LeLewis19] Eqs. 2 to 5.
void deltaMushOver(const Shape<double>& rest, std::span<const Vec3d> deformed, std::span<const double> smoothing_matrix,
                   const Result<double>& out);

/// The same over linear blend skinning, [LeLewis19] Eqs. 1 to 5.
void deltaMush(const Shape<double>& rest, const SkinWeights& weights, std::span<const double> smoothing_matrix,
               std::span<const Affine3d> bones, const Result<double>& out);

}  // namespace pelt::deform::reference
