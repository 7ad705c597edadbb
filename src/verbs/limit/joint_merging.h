#pragma once

#include <pelt/measure/skin_poses.h>
#include <pelt/verbs/limit.h>

namespace pelt::verbs {

struct JointMerging {
    std::vector<std::uint32_t> replaced_by;  ///< per joint slot; its own number if it stays
    std::vector<MergedJoint> merged;
};

/// Merges joints into their parents until at most `most` of those with skin are left, one by one, always the one that
/// costs least over the poses. Throws Error (bad input) if there are more roots.
JointMerging mergeJoints(const Character& character, const rig::RangeOfMotion& range, double fps, std::size_t most);

/// The payload with the joints that take the place of others; equal joints of a row become one.
std::shared_ptr<const DdmPayload> withReplacedJoints(const DdmPayload& payload,
                                                     const std::vector<std::uint32_t>& replaced_by);

}  // namespace pelt::verbs
