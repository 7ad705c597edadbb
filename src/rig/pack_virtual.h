#pragma once

#include <pelt/rig/driven_joints.h>

#include "runtime/layout/skeleton_layout.h"

namespace pelt::rig {

/// The virtual joints among the driven ones, as the runtime uses them.
struct PackedVirtualJoints {
    std::vector<runtime::VirtualSource> sources;
    std::vector<runtime::VirtualJointRecord> joints;  ///< ascending by node, and one past the last
    std::vector<runtime::VirtualBlock> blocks;
    std::vector<std::uint32_t> block_sources;
};

PackedVirtualJoints packVirtualJoints(const Skeleton& skeleton, std::span<const DrivenJoint> driven);

}  // namespace pelt::rig
