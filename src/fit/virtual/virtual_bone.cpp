// A virtual bone from a row of Direct Delta Mush, and its transform in a pose.
#include "virtual_bone.h"

#include <pelt/runtime/rotation.h>

namespace pelt::fit::virtual_bones {

VirtualBone boneOfRow(const DdmRows<float>& rows, std::size_t v) {
    VirtualBone bone;
    Mat3d w{{{}, {}, {}}};
    Vec3d chi;
    double sum = 0;
    for (std::size_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
        const DdmBlock<float>& b = rows.blocks[e];
        const Vec3d own{b.x, b.y, b.z};
        bone.blocks.push_back({rows.joints[e], Mat3d{{{b.xx, b.xy, b.xz}, {b.xy, b.yy, b.yz}, {b.xz, b.yz, b.zz}}}, own,
                               own, double(b.w)});
        w = w + bone.blocks.back().w;
        chi += own;
        sum += bone.blocks.back().weight;
    }
    // The sums are exact up to rounding; the heaviest joint takes what is missing. S counts up to a factor.
    const double trace = w(0, 0) + w(1, 1) + w(2, 2), scale = trace > 0 ? 1 / trace : 1;
    bone.center = Vec3d(rows.centers[v]);
    bone.blocks.front().turn -= chi;
    bone.blocks.front().move -= chi;
    bone.blocks.front().weight += 1 - sum;
    for (JointBlock& block : bone.blocks) {
        block.w = block.w * scale;
        block.turn *= scale;
    }
    return bone;
}

VirtualBone withoutSmallBlocks(const VirtualBone& bone, double least) {
    VirtualBone kept{bone.center, {bone.blocks.front()}};
    for (std::size_t b = 1; b < bone.blocks.size(); ++b) {
        const JointBlock& block = bone.blocks[b];
        if (block.weight >= least) {
            kept.blocks.push_back(block);
            continue;
        }
        JointBlock& base = kept.blocks.front();
        base.w = base.w + block.w;
        base.turn += block.turn;
        base.move += block.move;
        base.weight += block.weight;
    }
    return kept;
}

BoneSums sumsOf(const VirtualBone& bone, std::span<const Affine3d> joints) {
    BoneSums sums;
    for (const JointBlock& block : bone.blocks) {
        const Mat3d a = joints[block.joint].linear();
        const Vec3d c = joints[block.joint] * bone.center;
        sums.s = sums.s + a * block.w + Mat3d{{c * block.turn.x, c * block.turn.y, c * block.turn.z}};
        sums.q += a * block.move + c * block.weight;
    }
    return sums;
}

Affine3d poseOf(const VirtualBone& bone, std::span<const Affine3d> joints) {
    const BoneSums sums = sumsOf(bone, joints);
    const Mat3d fallback = runtime::boneRotation(joints[bone.blocks.front().joint].linear());
    const Mat3d r = runtime::nearestRotation(sums.s, fallback).rotation;
    return {r, sums.q - r * bone.center};
}

}  // namespace pelt::fit::virtual_bones
