#pragma once

#include "verbs/pose/pose_handles.h"

namespace pelt::verbs {

/// Where a flat figure is posed.
struct FlatPose {
    std::optional<Vec3d> normal;  ///< unit, of the plane of the mesh; none: the mesh is not flat, or its plane ignored
    Vec3d place;                  ///< in the plane
    double slack = 0;             ///< a distance from the plane that does not count
};

/// Throws Error (bad input) if a plane is asked for and the mesh has none.
FlatPose flatPose(FlatMode mode, const Mesh& standing);

/// The handle whose constraint leaves the plane of a flat figure at this time; nullopt if all targets stay in it.
std::optional<std::size_t> leavingPlane(const FlatPose& flat, std::span<const PoseHandle> handles,
                                        const HandlePlan& plan, const PoseStart& start, double time) noexcept;

/// The normal of the plane to pose in, or none. Throws Error (bad input) if a plane is asked for and a handle leaves
/// it.
std::optional<Vec3d> planeToPoseIn(FlatMode mode, const FlatPose& flat, std::span<const PoseHandle> handles,
                                   const HandlePlan& plan, const PoseStart& start, std::span<const double> times);

}  // namespace pelt::verbs
