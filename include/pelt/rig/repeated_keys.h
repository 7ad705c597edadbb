#pragma once

#include <pelt/rig/clip.h>

namespace pelt::rig {

/// Removes keys that repeat their neighbors, so that the motion stays the same: those inside a stretch in which the
/// channel does not change, and all but one of such a stretch at either end, where the value is held anyway. Values
/// within a millionth of the channel's largest value are equal; the tangents of a spline must be as small. The clip
/// keeps its first and last key, and every channel at least one. Returns the number of keys removed.
std::size_t removeRepeatedKeys(Clip& clip);

/// The number of keys of all channels.
std::size_t keyCount(const Clip& clip);

}  // namespace pelt::rig
