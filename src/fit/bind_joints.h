#pragma once

#include <pelt/fit/rigid_bind.h>

#include "skin_bones.h"

namespace pelt::fit {

/// Skins may bind one node each in their own slot: to the eye it is one joint, of which the first slot is left.
struct DistinctJoints {
    Skeleton skeleton;
    std::vector<std::uint32_t> slots;  ///< per joint of it: the slot in the original

    /// What the options say, per joint of this skeleton.
    std::vector<SkinChoice> choices(const Skeleton& original, const BindOptions& options) const;
};

DistinctJoints distinctJoints(const Skeleton& skeleton);

/// Per slot, whether the options let it have vertices. Throws Error (bad input) for a slot that is not there, and where
/// none is left.
std::vector<bool> allowedSlots(const Skeleton& skeleton, const BindOptions& options);

}  // namespace pelt::fit
