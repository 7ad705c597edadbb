// The range of motion of a character as a clip.
#include <pelt/rig/clip_builder.h>
#include <pelt/rig/range_of_motion.h>

#include <algorithm>
#include <cmath>

namespace pelt::rig {
namespace {

constexpr int kStepsOut = 4;         ///< keys from the bind pose to the extreme, and as many back
constexpr int kStepsOfCarried = 16;  ///< where joints move on arcs around joints of other branches, by translations
constexpr double kSecondsPerPose = 1;

double eased(double s) { return s * s * (3 - 2 * s); }

/// Whether keys differ from the node's rest transform; translations are relative to `size`.
bool leavesRest(const Channel& channel, const Trs& rest, double size) {
    const std::vector<float>& keys = channel.values;
    if (channel.path == ChannelPath::rotation) {
        for (std::size_t k = 0; k + 3 < keys.size(); k += 4)
            if (std::abs(dot(Quatd{keys[k], keys[k + 1], keys[k + 2], keys[k + 3]}, rest.rotation)) < 1 - 1e-9)
                return true;
        return false;
    }
    const bool place = channel.path == ChannelPath::translation;
    const Vec3d& value = place ? rest.translation : rest.scale;
    const double tolerance = 1e-5 * (place ? size : length(rest.scale));
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (std::abs(double(keys[i]) - value[int(i % 3)]) > tolerance) return true;
    return false;
}

/// The length scale around a joint in the units of its parent, for comparing translations.
double lengthAt(const Skeleton& skeleton, std::span<const Affine3d> bind, std::uint32_t node) {
    double figure = 0;
    for (const Joint& joint : skeleton.joints)
        figure = std::max(figure, length(bind[joint.node].translation() - bind[skeleton.joints[0].node].translation()));
    const std::int32_t parent = skeleton.nodes[node].parent;
    const double unit = parent < 0 ? 1 : std::cbrt(std::abs(determinant(bind[std::size_t(parent)].linear())));
    return unit > 0 ? figure / unit : figure;
}

}  // namespace

RangeOfMotion rangeOfFreeJoints(const Skeleton& skeleton, std::span<const DrivenJoint> driven, RangeOfMotion range) {
    if (driven.empty()) return range;
    range.joints.resize(skeleton.joints.size(), range.limits);
    range.driven.assign(skeleton.joints.size(), 0);
    for (const DrivenJoint& joint : driven)
        for (std::size_t j = 0; j < skeleton.joints.size(); ++j)
            if (skeleton.joints[j].node == joint.node) {
                range.joints[j] = {{0, 0}, {0, 0}};
                range.driven[j] = 1;
            }
    return range;
}

Clip rangeClip(const Skeleton& skeleton, std::span<const DrivenJoint> driven, const RangeOfMotion& range) {
    const int steps = range.carriers.empty() ? kStepsOut : kStepsOfCarried;
    std::vector<std::vector<std::vector<Affine3f>>> reached;  // by step, then by pose
    RangeOfMotion part = rangeOfFreeJoints(skeleton, driven, range);
    for (int step = 0; step <= steps; ++step) {
        part.reach = range.reach * eased(double(step) / steps);
        reached.push_back(rangeOfMotion(skeleton, part));
    }
    std::vector<bool> is_joint(skeleton.nodes.size(), false);  // other nodes keep their rest transform
    for (const Joint& joint : skeleton.joints) is_joint[joint.node] = true;
    ClipBuilder builder(kRangeClip, skeleton.nodes.size());
    const auto add = [&](double time, const std::vector<Affine3f>& bones) {
        const std::vector<Affine3d> exact(bones.begin(), bones.end());
        std::vector<Affine3d> locals = localsOfSkin(skeleton, exact);
        applyDrivers(skeleton, driven, locals);
        for (std::uint32_t n = 0; n < locals.size(); ++n)
            if (is_joint[n]) builder.addKeys(n, float(time), trsOf(locals[n]));
    };
    const std::size_t poses = reached.front().size();
    for (std::size_t p = 0; p < poses; ++p)
        for (int step = 0; step < 2 * steps; ++step)
            add(kSecondsPerPose * (double(p) + double(step) / (2 * steps)),
                reached[std::size_t(std::min(step, 2 * steps - step))][p]);
    if (poses > 0) add(kSecondsPerPose * double(poses), reached.front().front());

    // Properties equal to the rest transform need no keys: usually joints only rotate.
    const std::vector<Affine3d> bind = bindWorlds(skeleton);
    return builder.take([&](const Channel& channel) {
        return leavesRest(channel, skeleton.nodes[channel.target].local, lengthAt(skeleton, bind, channel.target));
    });
}

}  // namespace pelt::rig
