#pragma once

#include <vector>

#include "rig_data.h"

namespace pelt::pose {

/// R_k^T of every cluster in the pose of a rig that is nearest to posed vertices of its shape.
std::vector<Mat3d> fitPose(const PoseRig::Data& rig, std::span<const Vec3f> posed);

}  // namespace pelt::pose
