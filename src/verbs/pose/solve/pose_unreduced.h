#pragma once

#include <pelt/geometry/weld.h>

#include "pose_handles.h"

namespace pelt::pipeline {

/// As-rigid-as-possible deformation of the welded mesh, starting from a pose; vertices held by handles stay in the
/// position of that pose.
class Unreduced {
public:
    Unreduced(const Mesh& standing, const SkinWeights& weights, const HandlePlan& plan, const PoseRequest& request);
    void apply(std::span<Vec3f> posed, std::vector<double>& energies, const Progress& progress) const;

private:
    const PoseRequest& request_;
    geometry::Weld weld_;
    std::vector<Triangle> triangles_;
    std::vector<Vec3d> rest_;
    std::vector<char> held_;
};

}  // namespace pelt::pipeline
