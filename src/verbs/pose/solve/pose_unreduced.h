#pragma once

#include <pelt/geometry/weld.h>

#include "pose_job.h"

namespace pelt::verbs {

/// As-rigid-as-possible deformation of the welded mesh, starting from a pose; vertices held by handles stay in the
/// position of that pose.
class Unreduced {
public:
    explicit Unreduced(const PoseJob& job);
    void apply(std::span<Vec3f> posed, std::vector<double>& energies, const Progress& progress) const;

private:
    const PoseJob& job_;
    geometry::Weld weld_;
    std::vector<Triangle> triangles_;
    std::vector<Vec3d> rest_;
    std::vector<char> held_;
};

}  // namespace pelt::verbs
