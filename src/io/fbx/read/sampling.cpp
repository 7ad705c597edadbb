// Samples curves of an imported animation densely enough for linear interpolation.
#include "sampling.h"

#include <pelt/rig/clip_builder.h>

#include <algorithm>
#include <cmath>

namespace pelt::io::fbx {
namespace {

constexpr double kTolerance = 1e-6;  // relative to the size of a value; for a quaternion, about radians
constexpr double kRefined = 2e-5;    // the same, for keys closer than a step
constexpr int kMostHalvings = 5;
constexpr double kBeforeJump = 1e-4;  // seconds
using Sample = std::vector<double>;

void collect(const FbxCurve& curve, const SampleSpan& span, std::vector<double>& times) {
    for (const FbxKey& key : curve.keys)
        if (key.time > span.start && key.time < span.stop) times.push_back(key.time);
}

std::vector<double> finished(std::vector<double> times, const SampleSpan& span) {
    times.push_back(span.start);
    if (span.stop > span.start) times.push_back(span.stop);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
}

Quatd quat(const Sample& v) { return {v[0], v[1], v[2], v[3]}; }

Sample between(const Sample& a, const Sample& b, double u, bool is_rotation) {
    if (is_rotation) {
        const Quatd q = slerp(quat(a), quat(b), u);
        return {q.x, q.y, q.z, q.w};
    }
    Sample v(a.size());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = a[i] + (b[i] - a[i]) * u;
    return v;
}

bool near(const Sample& a, const Sample& b, bool is_rotation, double tolerance = kTolerance) {
    const double sign = is_rotation && dot(quat(a), quat(b)) < 0 ? -1 : 1;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a[i] - sign * b[i]) <= tolerance * (1 + std::abs(a[i])))) return false;
    return true;
}

class Sampler {
public:
    Sampler(Channel& channel, const Motion& motion, const SampleSpan& span)
        : channel_(channel), motion_(motion), span_(span), is_rotation_(channel.path == ChannelPath::rotation) {}

    void push(double t, const Sample& value) {
        const float time = static_cast<float>(t - span_.start);
        if (!channel_.times.empty() && !(time > channel_.times.back())) return;
        rig::addKey(channel_, time, value);
    }

    void segment(double a, double b) {
        const Sample first = motion_(a, Side::after), last = motion_(b, Side::before);
        push(a, first);
        const std::vector<double> inner = stepsBetween(a, b);
        std::vector<Sample> values;
        bool straight = true;
        for (const double t : inner) {
            values.push_back(motion_(t, Side::after));
            straight =
                straight && near(values.back(), between(first, last, (t - a) / (b - a), is_rotation_), is_rotation_);
        }
        double at = a;
        Sample here = first;
        for (std::size_t i = 0; !straight && i < inner.size(); ++i) {
            refine(at, here, inner[i], values[i], kMostHalvings);
            push(inner[i], values[i]);
            at = inner[i];
            here = values[i];
        }
        if (!straight) refine(at, here, b, last, kMostHalvings);
        if (!near(last, motion_(b, Side::after), is_rotation_)) push(b - std::min(kBeforeJump, (b - a) / 2), last);
    }

private:
    /// Keys between two that are less than a step apart, where angles take another way than the rotation.
    void refine(double a, const Sample& first, double b, const Sample& last, int halvings) {
        const double middle = (a + b) / 2;
        const Sample value = motion_(middle, Side::after);
        if (halvings == 0 || near(value, between(first, last, 0.5, is_rotation_), is_rotation_, kRefined)) return;
        refine(a, first, middle, value, halvings - 1);
        push(middle, value);
        refine(middle, value, b, last, halvings - 1);
    }

    std::vector<double> stepsBetween(double a, double b) const {
        std::vector<double> steps;
        // A step very close to a key is that key.
        const double margin = span_.step * 1e-3;
        for (double k = std::floor((a - span_.start) / span_.step); true; ++k) {
            const double t = span_.start + k * span_.step;
            if (t > b - margin) break;
            if (t > a + margin) steps.push_back(t);
        }
        if (steps.empty() && b - a > 2 * margin) steps.push_back((a + b) / 2);
        return steps;
    }

    Channel& channel_;
    const Motion& motion_;
    const SampleSpan& span_;
    bool is_rotation_;
};

}  // namespace

std::vector<double> keyTimes(std::span<const std::vector<FbxTrack>* const> tracks, const SampleSpan& span) {
    std::vector<double> times;
    for (const std::vector<FbxTrack>* layers : tracks)
        for (const FbxTrack& track : *layers)
            for (const FbxCurve& curve : track.axes) collect(curve, span, times);
    return finished(std::move(times), span);
}

std::vector<double> keyTimes(std::span<const FbxCurve* const> curves, const SampleSpan& span) {
    std::vector<double> times;
    for (const FbxCurve* curve : curves) collect(*curve, span, times);
    return finished(std::move(times), span);
}

Channel sampleMotion(ChannelPath path, std::uint32_t target, std::vector<double> times, const Motion& motion,
                     const SampleSpan& span) {
    Channel channel;
    channel.path = path;
    channel.target = target;
    channel.width = static_cast<std::uint32_t>(motion(span.start, Side::after).size());
    Sampler sampler(channel, motion, span);
    for (std::size_t i = 0; i + 1 < times.size(); ++i) sampler.segment(times[i], times[i + 1]);
    sampler.push(times.back(), motion(times.back(), Side::after));
    return channel;
}

}  // namespace pelt::io::fbx
