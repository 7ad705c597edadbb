#pragma once

#include <pelt/pose/pose.h>

/// The same energies without a rig: every vertex is free. Slow; used for comparison with reduced poses.
namespace pelt::pose {

/// Welded vertices with triangles, or tets for Energy::tets.
struct ArapShape {
    std::span<const Vec3d> positions;
    std::span<const Triangle> triangles;
    std::span<const Tet> tets{};
    std::optional<Vec3d> normal{};  ///< of the plane of a flat figure, which rotations then keep
};

struct FixedVertex {
    std::uint32_t vertex = 0;
    Vec3d target;
};

struct ArapResult {
    std::vector<Vec3d> positions;
    std::vector<double> energies;  ///< after each iteration, never increasing
};

/// Solves for rotations and positions alternately, beginning with `start`. Throws Error: bad input for a missing fixed
/// vertex or a connected part without any; cancelled by `progress`.
ArapResult arap(const ArapShape& shape, Energy energy, std::span<const FixedVertex> fixed, std::span<const Vec3d> start,
                int iterations, const Progress& progress = {});

/// The energy of a pose with the best rotation for every edge set.
double arapEnergy(const ArapShape& shape, Energy energy, std::span<const Vec3d> posed);

}  // namespace pelt::pose
