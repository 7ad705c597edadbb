// Virtual joints for the runtime. An input's frame X = world · place is written as D · frame: `frame` is where the
// joint is in the bind pose, the same for all its inputs, and D = world · unbind, the same for all joints that follow a
// node.
#include "pack_virtual.h"

#include <pelt/runtime/rotation.h>

#include <algorithm>
#include <cmath>

namespace pelt::rig {
namespace {

constexpr double kSameUnbind = 1e-5;  ///< of its largest number: files store `place` in single precision

/// Any rotation and position would do; with those of the bind pose, joints share their sources.
Affine3d bindFrame(const Skeleton& skeleton, std::uint32_t node) {
    for (const Joint& joint : skeleton.joints)
        if (joint.node == node) {
            const Affine3d bound = inverse(joint.inverse_bind);
            if (!isFinite(bound.translation())) break;
            return {runtime::nearestRotation(bound.linear()).rotation, bound.translation()};
        }
    return {};
}

bool isClose(const Affine3d& a, const Affine3d& b) {
    double size = 0, apart = 0;
    for (int i = 0; i < 16; ++i) {
        size = std::max(size, std::abs(a.m[i]));
        apart = std::max(apart, std::abs(a.m[i] - b.m[i]));
    }
    return apart <= kSameUnbind * size;
}

void store(const Affine3d& from, float (&to)[12]) {
    for (int i = 0; i < 12; ++i) to[i] = float(from.m[i / 3 * 4 + i % 3]);
}

class VirtualPacker {
public:
    VirtualPacker(const Skeleton& skeleton, PackedVirtualJoints& packed) : skeleton_(skeleton), packed_(packed) {}

    void append(std::uint32_t node, const DrivenVirtual& motion) {
        const Affine3d frame = bindFrame(skeleton_, node), back = inverse(frame);
        appendRecord(node, frame, motion.frame_scale);
        for (const VirtualInput& input : motion.inputs) {
            const std::uint32_t source = sourceOf(input.node, input.place * back);
            const Affine3d placed = inverse(unbinds_[source]) * input.place;  // frame, but for rounding
            runtime::VirtualBlock block;
            for (std::size_t c = 0; c < 4; ++c)
                for (std::size_t r = 0; r < 4; ++r) {
                    double sum = 0;
                    for (std::size_t k = 0; k < 4; ++k) sum += placed.m[4 * k + r] * input.block[4 * c + k];
                    block.m[4 * c + r] = float(sum);
                }
            packed_.blocks.push_back(block);
            packed_.block_sources.push_back(source);
        }
    }

    void appendRecord(std::uint32_t node, const Affine3d& frame, double scale) {
        runtime::VirtualJointRecord record{node, std::uint32_t(packed_.blocks.size()), {}, float(scale)};
        store(frame, record.frame);
        packed_.joints.push_back(record);
    }

private:
    std::uint32_t sourceOf(std::uint32_t node, const Affine3d& unbind) {
        for (std::uint32_t s = 0; s < unbinds_.size(); ++s)
            if (packed_.sources[s].node == node && isClose(unbinds_[s], unbind)) return s;
        unbinds_.push_back(unbind);
        packed_.sources.push_back({{}, node});
        store(unbind, packed_.sources.back().unbind);
        return std::uint32_t(unbinds_.size() - 1);
    }

    const Skeleton& skeleton_;
    PackedVirtualJoints& packed_;
    std::vector<Affine3d> unbinds_;  ///< per source
};

}  // namespace

PackedVirtualJoints packVirtualJoints(const Skeleton& skeleton, std::span<const DrivenJoint> driven) {
    std::vector<const DrivenJoint*> ordered;
    for (const DrivenJoint& joint : driven)
        if (joint.as<DrivenVirtual>()) ordered.push_back(&joint);
    std::sort(ordered.begin(), ordered.end(), [](const auto* a, const auto* b) { return a->node < b->node; });
    PackedVirtualJoints packed;
    VirtualPacker packer(skeleton, packed);
    for (const DrivenJoint* joint : ordered) packer.append(joint->node, *joint->as<DrivenVirtual>());
    packer.appendRecord(0, {}, 1);
    return packed;
}

}  // namespace pelt::rig
