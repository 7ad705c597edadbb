#pragma once

#include <pelt/rig/clip.h>

#include <string>

namespace pelt::draw {

/// A point in time in the syntax of `render --frame`: "0.5" or "0.5s" seconds on the clip's time line, "12f" the sample
/// of that number at --fps (negative: from the end), "50%" of the way from the first key to the last.
struct Moment {
    enum class Unit { seconds, sample, percent };
    Unit unit = Unit::seconds;
    double value = 0;
};

/// Throws Error (bad usage).
Moment parseMoment(const std::string& text);

/// Seconds on the clip's time line, clamped to its keys. Throws Error (bad input) for a missing sample.
double momentOfClip(const Moment& moment, const Clip& clip, double fps);

/// The time, out of a few dozen evenly spaced ones, at which the nodes are farthest from their rest transforms: where
/// methods differ most visibly. The middle if nothing rotates.
double liveliestMoment(const Skeleton& skeleton, const Clip& clip);

/// The frame nearest to the given time, clamped to the sequence. Throws Error (bad input) for a missing frame.
std::size_t momentOfSequence(const Moment& moment, std::size_t frames, double frame_seconds);

}  // namespace pelt::draw
