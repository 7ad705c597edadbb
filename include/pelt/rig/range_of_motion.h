#pragma once

#include <pelt/rig/skeleton.h>

namespace pelt::rig {

/// Poses that show what a skin does when every joint works: each bent by 90° and twisted by 60°, alone and with its
/// neighbours along the chain. Joints that are far enough apart move in one pose, so that their number is fixed.
struct RangeOfMotion {
    double bend = 90, twist = 60;  ///< degrees, both ways
};

/// Per pose and joint slot, the map from rest space to posed space. The rest pose of the nodes is not among them.
std::vector<std::vector<Affine3f>> rangeOfMotion(const Skeleton& skeleton, const RangeOfMotion& limits = {});

}  // namespace pelt::rig
