#pragma once

#include <pelt/rig/clip.h>

#include <string>

namespace pelt::cli {

/// A point in time as `render --frame` takes it: "0.5" or "0.5s" seconds on the clip's time line, "12f" the sample of
/// that number at --fps (negative: from the end), "50%" of the way from the first key to the last.
struct Moment {
    enum class Unit { seconds, sample, percent };
    Unit unit = Unit::seconds;
    double value = 0;
};

/// Throws Error (bad usage).
Moment parseMoment(const std::string& text);

/// Seconds on the clip's time line, cut to its keys. Throws Error (bad input) for a sample that is not there.
double momentOfClip(const Moment& moment, const Clip& clip, double fps);

/// The moment, of a few dozen even ones, at which the nodes are farthest from their rest transforms: where methods
/// differ most to the eye. The middle where nothing turns.
double liveliestMoment(const Skeleton& skeleton, const Clip& clip);

/// The frame nearest to the moment, cut to the sequence. Throws Error (bad input) for a frame that is not there.
std::size_t momentOfSequence(const Moment& moment, std::size_t frames, double frame_seconds);

}  // namespace pelt::cli
