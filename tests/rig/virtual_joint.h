#pragma once

#include <pelt/rig/driven_joints.h>

#include <cmath>

namespace pelt {

/// Adds a virtual joint that follows the joints of these slots, with blocks of no special form.
inline void addSomeVirtualJoint(Skeleton& skeleton, const std::vector<std::uint32_t>& slots,
                                std::vector<rig::DrivenJoint>& driven) {
    const Affine3d bound(toMatrix(axisAngle(Vec3d{1, -2, 0.5}, 0.8)), {0.3, 0.1, -0.2});
    rig::DrivenVirtual joint;
    std::array<double, 16> left{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};  // what is left of the fixed sums
    for (std::size_t i = slots.size(); i-- > 0;) {
        const Joint& slot = skeleton.joints[slots[i]];
        rig::VirtualInput input{slot.node, slot.inverse_bind * bound, left};
        for (std::size_t k = 0; k < 16 && i > 0; ++k)
            input.block[k] = 0.3 * left[k] + 0.04 * std::sin(double(5 * i + 3 * k + 1));
        for (std::size_t k = 0; k < 16; ++k) left[k] -= input.block[k];
        joint.inputs.insert(joint.inputs.begin(), input);
    }
    rig::addVirtualJoint(skeleton, joint, bound, driven);
}

}  // namespace pelt
