#pragma once

#include <pelt/runtime/lbs.h>

#include "runtime/layout/lbs_layout.h"

namespace pelt::runtime {

struct LbsPose::Data {
    const std::byte* bytes;  ///< of the rig
    LbsData rig;
    std::span<Affine3f> joints;
    std::span<Affine3f> differences;
};

/// Sets the differences from the joints.
void subtractJoints(LbsPose::Data& pose) noexcept;

}  // namespace pelt::runtime
