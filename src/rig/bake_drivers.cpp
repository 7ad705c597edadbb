// Writes the motion of driven joints as keys, for players that know no drivers.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/rig/clip_builder.h>
#include <pelt/rig/driven_joints.h>

#include <algorithm>

#include "driver_evaluation.h"

namespace pelt::rig {
namespace {

/// The interpolation error above which keys are added: about single precision for a rotation.
constexpr double kTolerance = 1e-6;
constexpr double kMostKeys = 1e7;

/// The nodes whose local transforms determine a driven joint.
std::vector<std::uint32_t> inputsOf(const Skeleton& skeleton, const DrivenJoint& joint) {
    if (joint.as<DrivenRotation>()) return {joint.driver};
    std::vector<std::uint32_t> inputs;
    if (const auto* learned = joint.as<DrivenLearned>()) {
        for (const LearnedInput& input : learned->inputs) inputs.push_back(input.node);
        return inputs;
    }
    const auto addChain = [&](std::uint32_t ancestor, std::uint32_t node) {
        for (std::int32_t n = std::int32_t(node); n >= 0 && n != std::int32_t(ancestor);
             n = skeleton.nodes[std::size_t(n)].parent)
            inputs.push_back(std::uint32_t(n));
    };
    constexpr std::uint32_t kAboveRoots = 0xFFFFFFFF;
    if (const auto* followed = joint.as<DrivenVirtual>())
        for (const VirtualInput& input : followed->inputs) addChain(kAboveRoots, input.node);
    if (const auto* scale = joint.as<DrivenScale>()) {
        addChain(scale->parent, joint.driver);
        for (const std::uint32_t child : scale->children) addChain(joint.driver, child);
    }
    std::sort(inputs.begin(), inputs.end());
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    return inputs;
}

/// One driven joint over the time of a clip.
class DrivenTrack {
public:
    DrivenTrack(const Skeleton& skeleton, const DrivenJoint& joint, const Clip& clip, std::vector<Affine3d>& locals)
        : skeleton_(skeleton), joint_(joint), locals_(locals) {
        for (const std::uint32_t node : inputsOf(skeleton, joint)) {
            Input input{node, {}};
            for (const Channel& channel : clip.channels)
                if (channel.target == node && channel.path != ChannelPath::morph_weights && !channel.times.empty())
                    input.channels.push_back(&channel);
            if (!input.channels.empty()) inputs_.push_back(std::move(input));
        }
    }

    bool moves() const { return !inputs_.empty(); }

    bool steps() const {
        for (const Input& input : inputs_)
            for (const Channel* channel : input.channels)
                if (channel->interpolation != Interpolation::step) return false;
        return true;
    }

    Trs at(double t) {
        for (const Input& input : inputs_) locals_[input.node] = sample(input, t);
        const Trs trs = drivenLocal(skeleton_, joint_, locals_);
        for (const Input& input : inputs_) locals_[input.node] = restLocal(skeleton_.nodes[input.node]);
        return trs;
    }

    /// The times of all keys. A step channel jumps: the time just before a jump is a key too.
    std::vector<float> keyTimes() const {
        const bool all_step = steps();
        std::vector<float> times;
        for (const Input& input : inputs_)
            for (const Channel* channel : input.channels) {
                times.insert(times.end(), channel->times.begin(), channel->times.end());
                if (channel->interpolation != Interpolation::step || all_step) continue;
                for (std::size_t k = 1; k < channel->times.size(); ++k)
                    times.push_back(std::nextafter(channel->times[k], -1e30f));
            }
        std::sort(times.begin(), times.end());
        times.erase(std::unique(times.begin(), times.end()), times.end());
        return times;
    }

private:
    struct Input {
        std::uint32_t node;
        std::vector<const Channel*> channels;
    };

    Affine3d sample(const Input& input, double t) const {
        Trs trs = skeleton_.nodes[input.node].local;
        for (const Channel* channel : input.channels) sampleChannel(*channel, t, trs);
        return toAffine(trs);
    }

    const Skeleton& skeleton_;
    const DrivenJoint& joint_;
    std::vector<Affine3d>& locals_;  ///< the rest pose, except while a time is evaluated
    std::vector<Input> inputs_;
};

/// The difference of two transforms, lengths relative to `size`.
double difference(const Trs& a, const Trs& b, double size) {
    const double turn = std::sqrt(std::max(0.0, 2 - 2 * std::abs(dot(a.rotation, b.rotation))));
    return std::max({turn, length(a.scale - b.scale), length(a.translation - b.translation) / size});
}

Trs between(const Trs& a, const Trs& b, double u) {
    return {a.translation + (b.translation - a.translation) * u, slerp(a.rotation, b.rotation, u),
            a.scale + (b.scale - a.scale) * u};
}

struct Keys {
    std::vector<float> times;
    std::vector<Trs> values;
};

/// Adds keys between two others if interpolating these is not accurate enough.
void addBetween(DrivenTrack& track, float first, float last, const Trs& from, const Trs& to, double fps, Keys& keys) {
    const double steps = std::ceil((double(last) - first) * fps - 1e-4);
    if (steps > kMostKeys)
        throw Error::badInput(
            fmt::format("{} s between two keys are too long for {} frames per second", double(last) - first, fps));
    if (!(steps > 1)) return;
    Keys inner;
    double worst = 0;
    const double size = std::max({length(from.translation), length(to.translation), 1e-30});
    for (double k = 1; k < steps; ++k) {
        const double u = k / steps;
        const auto t = float(first + (double(last) - first) * u);
        if (!(t > first && t < last) || (!inner.times.empty() && t <= inner.times.back())) continue;
        inner.times.push_back(t);
        inner.values.push_back(track.at(t));
        const double exact = (double(t) - first) / (double(last) - first);
        worst = std::max(worst, difference(inner.values.back(), between(from, to, exact), size));
    }
    if (worst <= kTolerance) return;
    keys.times.insert(keys.times.end(), inner.times.begin(), inner.times.end());
    keys.values.insert(keys.values.end(), inner.values.begin(), inner.values.end());
}

Keys keysOf(DrivenTrack& track, double fps) {
    Keys keys;
    const bool steps = track.steps();
    float before = 0;
    Trs last;
    for (const float t : track.keyTimes()) {
        const Trs now = track.at(t);
        if (!keys.times.empty() && !steps) addBetween(track, before, t, last, now, fps, keys);
        keys.times.push_back(t);
        keys.values.push_back(now);
        before = t;
        last = now;
    }
    return keys;
}

Channel channelOf(const Keys& keys, std::uint32_t node, ChannelPath path, Interpolation interpolation) {
    Channel channel = emptyChannel(path, node, interpolation);
    for (std::size_t k = 0; k < keys.times.size(); ++k) {
        const Trs& trs = keys.values[k];
        if (path == ChannelPath::rotation)
            addKey(channel, keys.times[k], trs.rotation);
        else
            addKey(channel, keys.times[k], path == ChannelPath::scale ? trs.scale : trs.translation);
    }
    return channel;
}

void addChannels(const Keys& keys, const DrivenJoint& joint, const Trs& rest, Interpolation interpolation, Clip& clip) {
    bool translated = false, scaled = false;
    for (const Trs& trs : keys.values) {
        translated = translated || length(trs.translation - rest.translation) > 1e-7 * length(rest.translation);
        scaled = scaled || length(trs.scale - rest.scale) > 1e-7;
    }
    if (joint.kind() != DriverKind::scale) {
        clip.channels.push_back(channelOf(keys, joint.node, ChannelPath::rotation, interpolation));
        if (translated) clip.channels.push_back(channelOf(keys, joint.node, ChannelPath::translation, interpolation));
    }
    if (scaled || joint.kind() == DriverKind::scale)
        clip.channels.push_back(channelOf(keys, joint.node, ChannelPath::scale, interpolation));
}

}  // namespace

void bakeDrivers(const Skeleton& skeleton, std::span<const DrivenJoint> driven, Clip& clip, double fps) {
    if (!(fps > 0) || !std::isfinite(fps))
        throw Error::badUsage(fmt::format("{} frames per second: must be above 0", fps));
    std::vector<bool> is_driven(skeleton.nodes.size(), false);
    for (const DrivenJoint& joint : driven) is_driven[joint.node] = true;
    std::erase_if(clip.channels, [&](const Channel& channel) {
        return channel.path != ChannelPath::morph_weights && is_driven[channel.target];
    });
    std::vector<Affine3d> locals;
    for (const SkeletonNode& node : skeleton.nodes) locals.push_back(restLocal(node));
    Clip baked;
    for (const DrivenJoint& joint : driven) {
        DrivenTrack track(skeleton, joint, clip, locals);
        if (!track.moves()) continue;
        addChannels(keysOf(track, fps), joint, skeleton.nodes[joint.node].local,
                    track.steps() ? Interpolation::step : Interpolation::linear, baked);
    }
    clip.channels.insert(clip.channels.end(), baked.channels.begin(), baked.channels.end());
}

}  // namespace pelt::rig
