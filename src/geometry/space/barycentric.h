#pragma once

#include <pelt/core/tet_mesh.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pelt::geometry {

/// Barycentric coordinates of a point in a tet: their sum is 1, and some are negative outside. All are minus infinity
/// for a tet without volume.
inline std::array<double, 4> barycentricIn(const TetMesh& mesh, const Tet& tet, const Vec3d& point) {
    const Vec3d& d = mesh.positions[tet[3]];
    const Vec3d a = mesh.positions[tet[0]] - d, b = mesh.positions[tet[1]] - d, c = mesh.positions[tet[2]] - d;
    const Vec3d p = point - d;
    const double volume = dot(a, cross(b, c));
    std::array<double, 4> shares = {dot(p, cross(b, c)) / volume, dot(a, cross(p, c)) / volume,
                                    dot(a, cross(b, p)) / volume, 0};
    shares[3] = 1 - shares[0] - shares[1] - shares[2];
    if (!std::isfinite(shares[3])) shares.fill(-HUGE_VAL);
    return shares;
}

/// Clamped to be non-negative, with sum 1 again.
inline void clampShares(std::array<double, 4>& shares) {
    double sum = 0;
    for (double& s : shares) sum += s = std::max(0.0, s);
    for (double& s : shares) s /= sum;
}

}  // namespace pelt::geometry
