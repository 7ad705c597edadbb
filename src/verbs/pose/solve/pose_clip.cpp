// Collects solved poses as keys of a clip.
#include "pose_clip.h"

#include <algorithm>
#include <cmath>

namespace pelt::verbs {
namespace {

constexpr char kClipName[] = "pose";
constexpr double kRounding = 1e-6;

bool invertible(const Affine3d& a) {
    const Affine3d i = inverse(a);
    return std::all_of(i.m, i.m + 16, [](double x) { return std::isfinite(x); });
}

/// A length that differs only by rounding is unchanged.
Vec3d snapped(const Vec3d& now, const Vec3d& start) {
    return length(now - start) <= kRounding * (1e-3 + length(start)) ? start : now;
}

}  // namespace

PoseClip::PoseClip(const Character& character, const PoseStart& start)
    : character_(character),
      start_(start),
      slot_(character.skeleton.nodes.size(), -1),
      keyed_(character.skeleton.nodes.size(), false),
      clip_(kClipName, character.skeleton.nodes.size()) {
    const Skeleton& skeleton = character.skeleton;
    for (std::size_t j = skeleton.joints.size(); j-- > 0;) slot_[skeleton.joints[j].node] = std::int32_t(j);
    for (std::size_t n = 0; n < skeleton.nodes.size(); ++n) {
        keyed_[n] = slot_[n] >= 0 || !(rig::restLocal(skeleton.nodes[n]) == start.locals[n]);
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

ClipPose PoseClip::add(double time, std::span<const Affine3d> motions) {
    const Skeleton& skeleton = character_.skeleton;
    std::vector<Affine3d> locals = localsOf(motions);
    times_.push_back(float(time));
    for (std::uint32_t n = 0; n < locals.size(); ++n) {
        if (!keyed_[n]) continue;
        const Trs start = rig::trsOf(start_.locals[n]);
        Trs now = rig::trsOf(locals[n]);
        now.translation = snapped(now.translation, start.translation);
        now.scale = snapped(now.scale, start.scale);
        locals[n] = toAffine(clip_.addKeys(n, times_.back(), now));
    }
    ClipPose pose{rig::skinMatricesOf(skeleton, locals), std::vector<Affine3d>(locals.size())};
    rig::worldTransforms(skeleton, locals, pose.worlds);
    return pose;
}

/// Morph targets keep their weights at the start.
void PoseClip::addMorphs(Clip& clip) const {
    if (!start_.clip) return;
    for (const Channel& channel : start_.clip->channels) {
        if (channel.path != ChannelPath::morph_weights || channel.times.empty()) continue;
        std::vector<double> now(channel.width);
        rig::sampleChannel(channel, start_.at, now);
        Channel held{channel.path, channel.target, Interpolation::linear, channel.width, {}, {}};
        for (const float time : times_) rig::addKey(held, time, now);
        clip.channels.push_back(std::move(held));
    }
}

Clip PoseClip::take() {
    Clip clip = clip_.take([&](const Channel& channel) {
        if (channel.path != ChannelPath::scale) return true;
        const Vec3d rest = rig::trsOf(rig::restLocal(character_.skeleton.nodes[channel.target])).scale;
        return length(rest - Vec3d{1, 1, 1}) > 1e-5 ||
               std::any_of(channel.values.begin(), channel.values.end(),
                           [](float scale) { return std::abs(scale - 1) > 1e-5f; });
    });
    clip.first_key = times_.front();  // even if nothing has keys
    clip.last_key = times_.back();
    addMorphs(clip);
    return clip;
}

}  // namespace pelt::verbs
