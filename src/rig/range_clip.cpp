#include <pelt/rig/range_of_motion.h>

#include <algorithm>
#include <cmath>

namespace pelt::rig {
namespace {

constexpr int kStepsOut = 4;  ///< keys from the bind pose to the extreme; as many lead back
constexpr double kSecondsPerPose = 1;

double eased(double s) { return s * s * (3 - 2 * s); }

/// Keys of one node, three numbers a key but four for rotations.
struct NodeKeys {
    std::vector<float> translations, rotations, scales;
    Quatd last;

    void add(const Affine3d& local) {
        const Trs trs = trsOf(local);
        Quatd q = trs.rotation;
        // Of a rotation's two quaternions the one nearer to the last, for players that do not look.
        if (dot(q, last) < 0) q = {-q.x, -q.y, -q.z, -q.w};
        last = q;
        const Vec3d &t = trs.translation, &s = trs.scale;
        translations.insert(translations.end(), {float(t.x), float(t.y), float(t.z)});
        rotations.insert(rotations.end(), {float(q.x), float(q.y), float(q.z), float(q.w)});
        scales.insert(scales.end(), {float(s.x), float(s.y), float(s.z)});
    }
};

bool leaves(const std::vector<float>& keys, const Vec3d& rest, double tolerance) {
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (std::abs(double(keys[i]) - rest[int(i % 3)]) > tolerance) return true;
    return false;
}

bool turns(const std::vector<float>& keys, const Quatd& rest) {
    for (std::size_t k = 0; k + 3 < keys.size(); k += 4)
        if (std::abs(dot(Quatd{keys[k], keys[k + 1], keys[k + 2], keys[k + 3]}, rest)) < 1 - 1e-9) return true;
    return false;
}

/// How long a joint's neighbourhood is in the units of its parent: what a translation is measured by.
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
    for (const DrivenJoint& joint : driven)
        for (std::size_t j = 0; j < skeleton.joints.size(); ++j)
            if (skeleton.joints[j].node == joint.node) range.joints[j] = {{0, 0}, {0, 0}};
    return range;
}

Clip rangeClip(const Skeleton& skeleton, std::span<const DrivenJoint> driven, const RangeOfMotion& range) {
    std::vector<std::vector<std::vector<Affine3f>>> reached;  // by step, then by pose
    RangeOfMotion part = rangeOfFreeJoints(skeleton, driven, range);
    for (int step = 0; step <= kStepsOut; ++step) {
        part.reach = range.reach * eased(double(step) / kStepsOut);
        reached.push_back(rangeOfMotion(skeleton, part));
    }
    std::vector<float> times;
    std::vector<NodeKeys> keys(skeleton.nodes.size());
    const auto add = [&](double time, const std::vector<Affine3f>& bones) {
        times.push_back(float(time));
        const std::vector<Affine3d> exact(bones.begin(), bones.end());
        std::vector<Affine3d> locals = localsOfSkin(skeleton, exact);
        applyDrivers(skeleton, driven, locals);
        for (std::size_t n = 0; n < keys.size(); ++n) keys[n].add(locals[n]);
    };
    const std::size_t poses = reached.front().size();
    for (std::size_t p = 0; p < poses; ++p)
        for (int step = 0; step < 2 * kStepsOut; ++step)
            add(kSecondsPerPose * (double(p) + double(step) / (2 * kStepsOut)),
                reached[std::size_t(std::min(step, 2 * kStepsOut - step))][p]);
    if (poses > 0) add(kSecondsPerPose * double(poses), reached.front().front());

    Clip clip{kRangeClip, 0, times.empty() ? 0 : double(times.back()), {}};
    const std::vector<Affine3d> bind = bindWorlds(skeleton);
    std::vector<bool> is_joint(keys.size(), false);
    for (const Joint& joint : skeleton.joints) is_joint[joint.node] = true;
    for (std::uint32_t n = 0; n < keys.size(); ++n) {
        if (!is_joint[n]) continue;  // stands to its parent as it rests
        const Trs rest = skeleton.nodes[n].local;
        const auto addChannel = [&](ChannelPath path, std::uint32_t width, std::vector<float>& values) {
            clip.channels.push_back({path, n, Interpolation::linear, width, times, std::move(values)});
        };
        // What the nodes' rest says already needs no keys: as a rule joints only turn.
        if (leaves(keys[n].translations, rest.translation, 1e-5 * lengthAt(skeleton, bind, n)))
            addChannel(ChannelPath::translation, 3, keys[n].translations);
        if (turns(keys[n].rotations, rest.rotation)) addChannel(ChannelPath::rotation, 4, keys[n].rotations);
        if (leaves(keys[n].scales, rest.scale, 1e-5 * length(rest.scale)))
            addChannel(ChannelPath::scale, 3, keys[n].scales);
    }
    return clip;
}

}  // namespace pelt::rig
