#pragma once

#include <pelt/bind/rigid_bind.h>

#include "skin_bones.h"

namespace pelt::bind {

/// Several skins may bind one node with a slot each; this keeps the first slot of each node.
struct DistinctJoints {
    Skeleton skeleton;
    std::vector<std::uint32_t> slots;  ///< per joint: its slot in the original

    /// The choice of the options, per joint of this skeleton.
    std::vector<SkinChoice> choices(const Skeleton& original, const BindOptions& options) const;
};

DistinctJoints distinctJoints(const Skeleton& skeleton);

/// Per slot, whether the options allow it to have vertices. Throws Error (bad input) for a slot that does not exist,
/// and if none is left.
std::vector<bool> allowedSlots(const Skeleton& skeleton, const BindOptions& options);

}  // namespace pelt::bind
