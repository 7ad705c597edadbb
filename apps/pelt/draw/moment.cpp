// Times in the syntax of `render --frame`.
#include "draw/moment.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pelt::draw {
namespace {

std::size_t sampleIndex(double value, std::size_t count) {
    const double from_start = value < 0 ? value + static_cast<double>(count) : value;
    if (!(from_start >= 0) || from_start >= static_cast<double>(count))
        throw Error::badInput(fmt::format("no frame {}f: there are {}, counted from 0", value, count));
    return static_cast<std::size_t>(from_start);
}

}  // namespace

Moment parseMoment(const std::string& text) {
    Moment moment;
    const char* const end = text.data() + text.size();
    const auto [rest, fault] = std::from_chars(text.data(), end, moment.value);
    const std::string unit(rest, end);
    if (unit == "f") moment.unit = Moment::Unit::sample;
    if (unit == "%") moment.unit = Moment::Unit::percent;
    const bool known = unit.empty() || unit == "s" || unit == "f" || unit == "%";
    const bool whole = moment.unit != Moment::Unit::sample || moment.value == std::floor(moment.value);
    if (fault != std::errc() || !known || !whole || !std::isfinite(moment.value))
        throw Error::badUsage(fmt::format(
            "--frame {}: write seconds (0.5), the number of a sample (12f) or a percentage of the clip (50%)", text));
    return moment;
}

double momentOfClip(const Moment& moment, const Clip& clip, double fps) {
    if (moment.unit == Moment::Unit::sample) {
        const std::vector<double> times = rig::sampleTimes(clip, fps);
        return times[sampleIndex(moment.value, times.size())];
    }
    const double seconds =
        moment.unit == Moment::Unit::percent ? clip.first_key + clip.seconds() * moment.value / 100 : moment.value;
    return std::clamp(seconds, clip.first_key, std::max(clip.first_key, clip.last_key));
}

double liveliestMoment(const Skeleton& skeleton, const Clip& clip) {
    constexpr int kSteps = 48;
    std::vector<Affine3d> rest;
    for (const SkeletonNode& node : skeleton.nodes) rest.push_back(rig::restLocal(node));
    double best = clip.first_key + clip.seconds() / 2, most = 1e-6;
    for (int step = 0; step <= kSteps; ++step) {
        const double seconds = clip.first_key + clip.seconds() * step / kSteps;
        const std::vector<Affine3d> local = rig::sampleLocals(skeleton, &clip, seconds);
        double turned = 0;
        for (std::size_t n = 0; n < local.size(); ++n) {
            const Mat3d a = local[n].linear(), b = rest[n].linear();
            for (int c = 0; c < 3; ++c) turned += length(a.col[c] - b.col[c]);
        }
        if (turned > most * (1 + 1e-9)) best = seconds, most = turned;
    }
    return best;
}

std::size_t momentOfSequence(const Moment& moment, std::size_t frames, double frame_seconds) {
    if (frames == 0) throw Error::badInput("has no frames");
    if (moment.unit == Moment::Unit::sample) return sampleIndex(moment.value, frames);
    const double last = static_cast<double>(frames - 1);
    const double frame =
        moment.unit == Moment::Unit::percent ? last * moment.value / 100 : moment.value / frame_seconds;
    return static_cast<std::size_t>(std::clamp(std::round(frame), 0.0, last));
}

}  // namespace pelt::draw
