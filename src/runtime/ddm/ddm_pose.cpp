// Bones as Direct Delta Mush blends them: bases and differences, in double before they are rounded.
#include <pelt/runtime/rotation.h>

#include <cassert>

#include "ddm_rig.h"
#include "runtime/layout/ddm_forms.h"

namespace pelt::runtime {
namespace {

void store(const Vec3d& v, float* out) {
    for (int i = 0; i < 3; ++i) out[i] = static_cast<float>(v[i]);
}

void store(const Mat3d& m, float* out) {
    for (int c = 0; c < 3; ++c) store(m.col[c], out + 3 * c);
}

void store(const Quatd& q, float* out) {
    const double numbers[4] = {q.x, q.y, q.z, q.w};
    for (int i = 0; i < 4; ++i) out[i] = static_cast<float>(numbers[i]);
}

Mat3d difference(const Mat3d& a, const Mat3d& b) { return a + b * -1.0; }

/// ±a − b, with the sign that puts a on the hemisphere of b.
Quatd difference(const Quatd& a, const Quatd& b) {
    const double s = dot(a, b) < 0 ? -1 : 1;
    return {s * a.x - b.x, s * a.y - b.y, s * a.z - b.z, s * a.w - b.w};
}

/// Bases and differences of the joints.
void storeJoints(DdmPose::Data& pose) {
    const DdmData& rig = pose.rig;
    for (std::size_t b = 0; b < rig.bases.size(); ++b) {
        const DdmJoint& joint = pose.joints[rig.bases[b]];
        DdmBase& base = pose.bases[b];
        store(joint.bone.linear(), base.a);
        store(joint.bone.translation(), base.t);
        store(joint.rotation, base.rotation);
        store(joint.quaternion, base.quaternion);
    }
    for (std::size_t p = 0; p < rig.pairs.size(); ++p) {
        const DdmJoint& joint = pose.joints[rig.pairs[p].joint];
        const DdmJoint& base = pose.joints[rig.bases[rig.pairs[p].base]];
        DdmDifference& out = pose.differences[p];
        store(difference(joint.bone.linear(), base.bone.linear()), out.a);
        store(joint.bone.translation() - base.bone.translation(), out.t);
        store(difference(joint.rotation, base.rotation), out.rotation);
        store(difference(joint.quaternion, base.quaternion), out.quaternion);
    }
}

}  // namespace

DdmPose::DdmPose(const DdmRig& rig, std::span<std::byte> memory) noexcept : data_(layOutPose(rig, memory)) {
    for (DdmJoint& joint : data_->joints) joint.bone = {Mat3d{}, Vec3d(data_->rig.origin)};
    storeJoints(*data_);
}

void DdmPose::set(std::span<const Affine3f> bones) noexcept {
    Data& pose = *data_;
    const DdmData& rig = pose.rig;
    assert(bones.size() >= rig.joint_count);
    pose.rigid = true;
    for (std::size_t j = 0; j < rig.joints.size(); ++j) {
        const Affine3d bone(bones[rig.joints[j]]);
        const Mat3d rotation = boneRotation(bone.linear());
        pose.joints[j] = {Affine3d(bone.linear(), bone * Vec3d(rig.origin)), rotation, toQuat(rotation)};
        pose.rigid = pose.rigid && isRigid(bone.linear());
    }
    storeJoints(pose);
}

}  // namespace pelt::runtime
