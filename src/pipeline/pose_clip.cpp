#include "pose_clip.h"

#include <algorithm>
#include <cmath>

namespace pelt::pipeline {
namespace {

constexpr char kClipName[] = "pose";
constexpr double kRounding = 1e-6;

bool invertible(const Affine3d& a) {
    const Affine3d i = inverse(a);
    return std::all_of(i.m, i.m + 16, [](double x) { return std::isfinite(x); });
}

/// A length that only rounding changed is as it was.
Vec3d snapped(const Vec3d& now, const Vec3d& start) {
    return length(now - start) <= kRounding * (1e-3 + length(start)) ? start : now;
}

}  // namespace

PoseClip::PoseClip(const Character& character, const PoseStart& start)
    : character_(character),
      start_(start),
      slot_(character.skeleton.nodes.size(), -1),
      keyed_(character.skeleton.nodes.size(), false),
      keys_(character.skeleton.nodes.size()) {
    const Skeleton& skeleton = character.skeleton;
    for (std::size_t j = skeleton.joints.size(); j-- > 0;) slot_[skeleton.joints[j].node] = std::int32_t(j);
    for (std::size_t n = 0; n < skeleton.nodes.size(); ++n) {
        const Affine3d rest = rig::restLocal(skeleton.nodes[n]);
        const bool moved = !std::equal(rest.m, rest.m + 16, start.locals[n].m);
        keyed_[n] = slot_[n] >= 0 || moved;
    }
}

std::vector<Affine3d> PoseClip::localsOf(std::span<const Affine3d> motions) const {
    const Skeleton& skeleton = character_.skeleton;
    std::vector<Affine3d> world(skeleton.nodes.size()), locals(skeleton.nodes.size());
    for (std::size_t n = 0; n < world.size(); ++n) {
        const std::int32_t parent = skeleton.nodes[n].parent;
        const Affine3d above = parent < 0 ? Affine3d() : world[std::size_t(parent)];
        const bool free = slot_[n] >= 0 && invertible(above);
        world[n] = free ? motions[std::size_t(slot_[n])] * start_.worlds[n] : above * start_.locals[n];
        locals[n] = free ? inverse(above) * world[n] : start_.locals[n];
    }
    rig::applyDrivers(skeleton, character_.driven, locals);
    return locals;
}

std::vector<Affine3d> PoseClip::add(double time, std::span<const Affine3d> motions) {
    const std::vector<Affine3d> locals = localsOf(motions);
    times_.push_back(float(time));
    for (std::size_t n = 0; n < locals.size(); ++n) {
        if (!keyed_[n]) continue;
        Keys& keys = keys_[n];
        const Trs start = rig::trsOf(start_.locals[n]);
        Trs now = rig::trsOf(locals[n]);
        now.translation = snapped(now.translation, start.translation);
        now.scale = snapped(now.scale, start.scale);
        Quatd& q = now.rotation;
        if (dot(q, keys.last) < 0) q = {-q.x, -q.y, -q.z, -q.w};
        keys.last = q;
        for (int a = 0; a < 3; ++a) {
            keys.translations.push_back(float(now.translation[a]));
            keys.scales.push_back(float(now.scale[a]));
        }
        keys.rotations.insert(keys.rotations.end(), {float(q.x), float(q.y), float(q.z), float(q.w)});
    }
    return rig::skinMatricesOf(character_.skeleton, locals);
}

/// Morph targets stay as the start has them.
void PoseClip::addMorphs(Clip& clip) const {
    if (!start_.clip) return;
    for (const Channel& channel : start_.clip->channels) {
        if (channel.path != ChannelPath::morph_weights || channel.times.empty()) continue;
        std::vector<double> now(channel.width);
        rig::sampleChannel(channel, start_.at, now);
        Channel held{channel.path, channel.target, Interpolation::linear, channel.width, times_, {}};
        for (std::size_t t = 0; t < times_.size(); ++t)
            for (const double w : now) held.values.push_back(float(w));
        clip.channels.push_back(std::move(held));
    }
}

Clip PoseClip::take() {
    Clip clip{kClipName, double(times_.front()), double(times_.back()), {}};
    for (std::uint32_t n = 0; n < keys_.size(); ++n) {
        Keys& keys = keys_[n];
        if (keys.rotations.empty()) continue;
        const auto add = [&](ChannelPath path, std::uint32_t width, std::vector<float>& values) {
            clip.channels.push_back({path, n, Interpolation::linear, width, times_, std::move(values)});
        };
        const Vec3d rest = rig::trsOf(rig::restLocal(character_.skeleton.nodes[n])).scale;
        bool scaled = length(rest - Vec3d{1, 1, 1}) > 1e-5;
        for (const float s : keys.scales) scaled = scaled || std::abs(s - 1) > 1e-5f;
        add(ChannelPath::translation, 3, keys.translations);
        add(ChannelPath::rotation, 4, keys.rotations);
        if (scaled) add(ChannelPath::scale, 3, keys.scales);
    }
    addMorphs(clip);
    return clip;
}

}  // namespace pelt::pipeline
