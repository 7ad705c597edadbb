#pragma once

#include <pelt/rig/clip.h>

#include <functional>

#include "animation.h"

namespace pelt::io::fbx {

/// The time range of a clip, and the step for sampling curves that are not linear between keys.
struct SampleSpan {
    double start = 0, stop = 0, step = 1.0 / 30;
};

/// A vector of up to 4 numbers, or more for morph weights, at a point in time.
using Motion = std::function<std::vector<double>(double t, Side side)>;

/// The times of all keys of the tracks inside the span, and its two ends, in ascending order.
std::vector<double> keyTimes(std::span<const std::vector<FbxTrack>* const> tracks, const SampleSpan& span);
std::vector<double> keyTimes(std::span<const FbxCurve* const> curves, const SampleSpan& span);

/// Keys at `times`, and at every step between two of them if linear (for rotations: spherical) interpolation would not
/// be accurate; at a jump, also a key right before it. Times are relative to the start of the range.
Channel sampleMotion(ChannelPath path, std::uint32_t target, std::vector<double> times, const Motion& motion,
                     const SampleSpan& span);

}  // namespace pelt::io::fbx
