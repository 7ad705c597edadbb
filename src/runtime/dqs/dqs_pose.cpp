// Bones to stretches and dual quaternions; dqs_reference.cpp has the formulas.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "bone_split.h"
#include "dqs_rig.h"

namespace pelt::runtime {
namespace {

/// Stretches this close to the identity are rounding errors of single-precision bones and are ignored. This moves a
/// vertex by this fraction of its distance to the joint, which is below single precision.
constexpr double kNoStretch = 1e-6;

bool isIdentity(const Mat3d& m) {
    double largest = 0;
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) largest = std::max(largest, std::abs(m(r, c) - (r == c ? 1 : 0)));
    return largest < kNoStretch;
}

void storeSymmetric(const Mat3d& m, float out[6]) {
    const double values[6] = {m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)};
    for (int i = 0; i < 6; ++i) out[i] = static_cast<float>(values[i]);
}

/// y ↦ R y + t as a dual quaternion: d = ½ t q.
RigidJoint toRigid(const Mat3d& rotation, const Vec3d& t) {
    const Quatd q = toQuat(rotation);
    const Quatd d = Quatd{t.x / 2, t.y / 2, t.z / 2, 0} * q;
    return {{float(q.x), float(q.y), float(q.z), float(q.w)}, {float(d.x), float(d.y), float(d.z), float(d.w)}};
}

/// The mean displacement of the middle of the rest shape by the bones.
Vec3f meanShift(const DqsData& rig, std::span<const Affine3f> bones) {
    Vec3d sum;
    std::size_t count = 0;
    for (std::size_t j = 0; j < rig.centers.size(); ++j) {
        const Vec3d shift = Affine3d(bones[j]) * Vec3d(rig.origin) - Vec3d(rig.origin);
        if (!isFinite(shift)) continue;
        sum += shift;
        ++count;
    }
    const Vec3f mean(sum / static_cast<double>(std::max<std::size_t>(count, 1)));
    return isFinite(mean) ? mean : Vec3f{};
}

float cosine(const RigidJoint& a, const RigidJoint& b) {
    return a.q[0] * b.q[0] + a.q[1] * b.q[1] + a.q[2] * b.q[2] + a.q[3] * b.q[3];
}

/// Flips joints (q and −q are the same rotation) so that joints blended by a vertex share a hemisphere. If no choice of
/// signs achieves that, as with two joints rotated far from their common neighbor, marks the remaining pairs.
void align(const DqsData& rig, DqsPose::Data& pose) {
    for (const JointPair& link : rig.links) {
        RigidJoint& joint = pose.rigid[link.second];
        if (cosine(pose.rigid[link.first], joint) >= 0) continue;
        for (int i = 0; i < 4; ++i) {
            joint.q[i] = -joint.q[i];
            joint.d[i] = -joint.d[i];
        }
    }
    pose.aligned = true;
    for (std::size_t i = 0; i < rig.blended.size(); ++i) {
        pose.opposed[i] = cosine(pose.rigid[rig.blended[i].first], pose.rigid[rig.blended[i].second]) < 0;
        pose.aligned &= !pose.opposed[i];
    }
}

}  // namespace

void DqsPose::set(std::span<const Affine3f> bones) noexcept {
    Data& pose = *data_;
    const DqsData& rig = pose.rig;
    assert(bones.size() >= rig.centers.size());
    pose.shift = meanShift(rig, bones);
    const Vec3d origin(rig.origin), posed_origin = origin + Vec3d(pose.shift);
    pose.stretched = pose.mirrored = false;
    for (std::size_t j = 0; j < rig.centers.size(); ++j) {
        const Affine3d bone(bones[j]);
        BoneSplit split = splitBone(bone.linear());
        if (isIdentity(split.stretch)) split.stretch = {};

        // Both relative to the origins of their spaces: the joint's position c, and its image under the bone.
        const Vec3d c = rig.centers[j] - origin;
        const Vec3d placed = bone * rig.centers[j] - posed_origin;
        pose.rigid[j] = toRigid(split.rotation, placed - split.rotation * c);

        StretchJoint& out = pose.stretch[j];
        const Vec3d offset = c - split.stretch * c;
        storeSymmetric(split.stretch, out.stretch);
        storeSymmetric(split.mirror, out.mirror);
        for (int i = 0; i < 3; ++i) out.offset[i] = static_cast<float>(offset[i]);
        out.stretches = !(split.stretch == Mat3d{});
        pose.stretched |= out.stretches != 0;
        pose.mirrored |= split.mirrored;
    }
    align(rig, pose);
}

}  // namespace pelt::runtime
