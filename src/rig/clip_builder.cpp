// Builds clips key by key.
#include <pelt/rig/clip_builder.h>

#include <algorithm>
#include <limits>

namespace pelt::rig {

Channel emptyChannel(ChannelPath path, std::uint32_t node, Interpolation interpolation) {
    return {path, node, interpolation, path == ChannelPath::rotation ? 4u : 3u, {}, {}};
}

void addKey(Channel& channel, float time, std::span<const double> value) {
    if (channel.path == ChannelPath::rotation) {
        addKey(channel, time, Quatd{value[0], value[1], value[2], value[3]});
        return;
    }
    channel.times.push_back(time);
    for (const double x : value) channel.values.push_back(float(x));
}

Vec3d addKey(Channel& channel, float time, const Vec3d& value) {
    channel.times.push_back(time);
    channel.values.insert(channel.values.end(), {float(value.x), float(value.y), float(value.z)});
    // Read back from memory: g++ 12 omits the rounding if a pair is converted to float and back in registers.
    const float* key = channel.values.data() + channel.values.size() - 3;
    return {key[0], key[1], key[2]};
}

Quatd addKey(Channel& channel, float time, const Quatd& value) {
    const auto last = [&] {
        const float* key = channel.values.data() + channel.values.size() - 4;
        return Quatd{key[0], key[1], key[2], key[3]};
    };
    const Quatd q = nearerTo(channel.values.empty() ? Quatd() : last(), value);
    channel.times.push_back(time);
    channel.values.insert(channel.values.end(), {float(q.x), float(q.y), float(q.z), float(q.w)});
    return normalized(last());
}

float keyTimeFrom(double time) {
    const auto rounded = float(time);
    return double(rounded) < time ? std::nextafter(rounded, std::numeric_limits<float>::max()) : rounded;
}

ClipBuilder::ClipBuilder(std::string name, std::size_t nodes) : clip_{std::move(name), 0, 0, {}}, channels_(3 * nodes) {
    constexpr ChannelPath kPaths[] = {ChannelPath::translation, ChannelPath::rotation, ChannelPath::scale};
    for (std::size_t c = 0; c < channels_.size(); ++c) channels_[c] = emptyChannel(kPaths[c % 3], std::uint32_t(c / 3));
}

Channel& ClipBuilder::channel(ChannelPath path, std::uint32_t node) { return channels_[3 * node + std::size_t(path)]; }

Trs ClipBuilder::addKeys(std::uint32_t node, float time, const Trs& value) {
    return {addKey(channel(ChannelPath::translation, node), time, value.translation),
            addKey(channel(ChannelPath::rotation, node), time, value.rotation),
            addKey(channel(ChannelPath::scale, node), time, value.scale)};
}

Clip ClipBuilder::take(const std::function<bool(const Channel&)>& wanted) {
    bool any = false;
    for (Channel& channel : channels_) {
        if (channel.times.empty()) continue;
        clip_.first_key = any ? std::min(clip_.first_key, double(channel.times.front())) : channel.times.front();
        clip_.last_key = any ? std::max(clip_.last_key, double(channel.times.back())) : channel.times.back();
        any = true;
        if (!wanted || wanted(channel)) clip_.channels.push_back(std::move(channel));
    }
    return std::move(clip_);
}

}  // namespace pelt::rig
