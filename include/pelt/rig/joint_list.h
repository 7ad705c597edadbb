#pragma once

#include <pelt/rig/skeleton.h>

#include <string>
#include <vector>

namespace pelt::rig {

/// The joints as users see them: one entry per node, however many skins bind it.
struct JointList {
    struct Entry {
        std::string name;
        std::int32_t parent = -1;    ///< index in this list of the nearest ancestor that is a joint
        std::size_t first_slot = 0;  ///< of Skeleton::joints
    };
    std::vector<Entry> entries;        ///< parents before children
    std::vector<std::size_t> of_slot;  ///< per joint slot, its entry
};

JointList listJoints(const Skeleton& skeleton);

}  // namespace pelt::rig
