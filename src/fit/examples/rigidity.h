#pragma once

#include <pelt/fit/examples.h>

namespace pelt::fit::examples {

/// The squared diameter of a point cloud, exactly.
double squaredDiameter(std::span<const Vec3d> points);

/// Ranks joints by how rigidly vertices move with them, [MohrGleicher03] §5.1.
class RigidityRanking {
public:
    explicit RigidityRanking(const ExamplePoses& examples);

    /// The `count` joints (0: all) with the smallest point sets for a vertex, most rigid first; ties go to the lower
    /// joint. `trajectory` has its position in every example. The previous contents of `joints` are a guess that only
    /// saves time.
    void choose(std::span<const Vec3d> trajectory, std::size_t count, std::vector<std::uint32_t>& joints) const;

private:
    double cloud(std::uint32_t joint, std::span<const Vec3d> trajectory, double limit, std::span<Vec3d> points) const;

    std::size_t joints_, examples_;
    std::vector<Affine3d> to_joint_;  ///< from the example's space to rest space, at [joint * examples + example]
    std::vector<bool> singular_;
    std::vector<std::uint32_t> distinct_;  ///< joints whose motion differs from that of all lower joints
};

}  // namespace pelt::fit::examples
