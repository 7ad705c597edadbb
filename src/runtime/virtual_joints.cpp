// Virtual joints [LeLewis19] Eqs. 7 to 10, [Kalentchouk20]: rig::VirtualInput has the formula, in which X = D · frame.
// D, the motion of an input since the bind pose, is computed once for all joints that follow it.
#include "virtual_joints.h"

#include <pelt/runtime/rotation.h>

#include <algorithm>
#include <array>

#include "skeleton_kernel.h"

namespace pelt::runtime {
namespace {

constexpr std::size_t kJointsAtOnce = 32;
constexpr std::size_t kMotions = 128;  ///< that are kept on the stack; beyond that, each is computed for every joint
constexpr float kStretch = 1e-5f;  ///< of A^T A: less is rounding in the product of several single-precision matrices

bool isNearlyRigid(const Affine3f& d) {
    const Mat3f a = d.linear(), p = transposed(a) * a;
    const float off = std::max({std::abs(p(0, 0) - 1), std::abs(p(1, 1) - 1), std::abs(p(2, 2) - 1), std::abs(p(0, 1)),
                                std::abs(p(1, 2)), std::abs(p(2, 0))});
    return off < kStretch;
}

Affine3f motionOf(const VirtualSource& source, std::span<const Affine3f> worlds) {
    return worlds[source.node] * affineOf(source.unbind);
}

Mat3f rotationOf(const Affine3f& motion) {
    return Affine3f(Affine3d(boneRotation(Affine3d(motion).linear()), {})).linear();
}

/// Fills `motions`; false if there are too many or if one of them scales or shears.
bool rigidMotions(const SkeletonData& rig, std::span<const Affine3f> worlds, float (&motions)[kMotions][16]) {
    if (rig.sources.size() > kMotions) return false;
    bool rigid = true;
    for (std::size_t s = 0; s < rig.sources.size(); ++s) {
        const Affine3f motion = motionOf(rig.sources[s], worlds);
        rigid = rigid && isNearlyRigid(motion);
        std::copy_n(motion.m, 16, motions[s]);
    }
    return rigid;
}

/// [S q] of one joint whatever its inputs do, and Σ ω (D − R) of their linear parts: the rotation R of a motion D takes
/// part in the sum, but the position stays D · frame.
Mat3f sumScaledInputs(const SkeletonData& rig, std::size_t joint, std::span<const Affine3f> worlds, Affine3f& sum) {
    const Vec3f position = affineOf(rig.virtual_joints[joint].frame).translation();
    Mat3f stretch{{{}, {}, {}}};
    std::fill_n(sum.m, 16, 0.0f);
    for (std::size_t i = rig.virtual_joints[joint].first; i < rig.virtual_joints[joint + 1].first; ++i) {
        Affine3f d = motionOf(rig.sources[rig.block_sources[i]], worlds);
        const float* block = rig.blocks[i].m;
        if (!isNearlyRigid(d)) {
            const Mat3f r = rotationOf(d), rest = d.linear() + r * -1.0f;
            stretch = stretch + rest * block[15];
            d = {r, d.translation() + rest * position};
        }
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 4; ++k)
                for (int row = 0; row < 3; ++row) sum.m[4 * c + row] += d.m[4 * k + row] * block[4 * c + k];
    }
    return stretch;
}

/// The rotation of the frame that follows the first input: the right one if S determines none.
Mat3f firstRotation(const SkeletonData& rig, std::size_t joint, std::span<const Affine3f> worlds) {
    const VirtualJointRecord& record = rig.virtual_joints[joint];
    return rotationOf(motionOf(rig.sources[rig.block_sources[record.first]], worlds)) * affineOf(record.frame).linear();
}

}  // namespace

void driveVirtual(const SkeletonData& rig, std::span<Affine3f> worlds) noexcept {
    const std::size_t joints = rig.virtual_joints.size() - 1;
    if (joints == 0) return;
    alignas(64) float motions[kMotions][16];  // without the constructors of as many matrices
    const bool rigid = rigidMotions(rig, worlds, motions);
    std::array<Affine3f, kJointsAtOnce> sums;
    std::array<Mat3f, kJointsAtOnce> stretches;
    for (std::size_t first = 0; first < joints; first += kJointsAtOnce) {
        const std::span<Affine3f> these(sums.data(), std::min(kJointsAtOnce, joints - first));
        if (rigid)
            sumVirtualInputs(rig, first, motions[0], these);
        else
            for (std::size_t k = 0; k < these.size(); ++k)
                stretches[k] = sumScaledInputs(rig, first + k, worlds, these[k]);
        turnVirtualJoints(these);
        for (std::size_t k = 0; k < these.size(); ++k) {
            Affine3f& world = worlds[rig.virtual_joints[first + k].node];
            world = these[k];
            world.m[3] = world.m[7] = world.m[11] = 0;
            world.m[15] = 1;
            if (std::isnan(world.m[0])) world = {firstRotation(rig, first + k, worlds), world.translation()};
            if (!rigid) {
                const Mat3f frame = affineOf(rig.virtual_joints[first + k].frame).linear();
                world = {world.linear() + stretches[k] * frame, world.translation()};
            }
            const float scale = rig.virtual_joints[first + k].scale;
            for (int i = 0; i < 12; ++i) world.m[i] *= scale;
        }
    }
}

}  // namespace pelt::runtime
