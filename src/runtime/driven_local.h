#pragma once

#include <pelt/core/affine.h>
#include <pelt/runtime/rotation.h>
#include <pelt/runtime/skeleton.h>

#include <algorithm>
#include <array>

/// The evaluation of driven joints [MohrGleicher03] §4.1, used for packed rigs of the run time and for
/// rig::DrivenJoint. b₁ and b₂ are the bones from the driver to its parent and to its children (their sum), s the scale
/// across a bone.
///
/// `Locals` has matrix(node), rotation(node) and trs(node); `Parents` gives a node's parent, -1 for a root; `Rotation`,
/// `Scale`, `Learned` and `Virtual` have the members of rig::DrivenRotation and so on.
namespace pelt::runtime {

/// x, y, z of the quaternion from the bind rotation to the local one, taken with w ≥ 0, then their products xx, yy, zz,
/// xy, yz, zx. All are 0 in the bind pose.
inline std::array<double, kLearnedTerms> learnedTerms(const Quatd& bind_rotation, const Quatd& rotation) {
    const Quatd q = conjugate(bind_rotation) * rotation;
    const double sign = q.w < 0 ? -1 : 1;
    const double x = sign * q.x, y = sign * q.y, z = sign * q.z;
    return {x, y, z, x * x, y * y, z * z, x * y, y * z, z * x};
}

/// The map from a node's space to that of its ancestor.
template <class Locals, class Parents>
Affine3d chainOf(const Locals& locals, const Parents& parents, std::uint32_t ancestor, std::uint32_t node) {
    Affine3d chain;
    for (auto n = std::int32_t(node); n >= 0 && n != std::int32_t(ancestor); n = parents(std::size_t(n)))
        chain = locals.matrix(std::size_t(n)) * chain;
    return chain;
}

/// b₁ and b₂, in the space of the driver's parent.
struct BonesAtDriver {
    Vec3d up, down;
};

template <class Scale, class Locals, class Parents>
BonesAtDriver bonesAt(std::uint32_t driver, const Scale& scale, const Locals& locals, const Parents& parents) {
    const Affine3d place = chainOf(locals, parents, scale.parent, driver);
    BonesAtDriver bones{-place.translation(), {}};
    for (const std::uint32_t child : scale.children)
        bones.down += place * chainOf(locals, parents, driver, child).translation() - place.translation();
    return bones;
}

/// s: 1 for a straight limb, 1 + k for one that is folded.
template <class Scale, class Locals, class Parents>
double scaleAt(std::uint32_t driver, const Scale& scale, const Locals& locals, const Parents& parents) {
    const auto [b1, b2] = bonesAt(driver, scale, locals, parents);
    const double lengths = length(b1) * length(b2);
    const double cosine = lengths > 0 ? std::clamp(dot(b1, b2) / lengths, -1.0, 1.0) : -1.0;
    return 1 + scale.k / 2 * (cosine + 1);
}

// The local transforms of driven joints, computed from those of the other nodes.

template <class Rotation, class Locals>
Trs rotationLocal(std::uint32_t driver, const Rotation& rotation, const Locals& locals) {
    Trs trs = locals.trs(driver);
    trs.rotation = slerp(rotation.bind_rotation, trs.rotation, rotation.fraction);
    return trs;
}

/// `rest` is the node's own rest transform.
template <class Scale, class Locals, class Parents>
Trs scaleLocal(std::uint32_t driver, const Scale& scale, const Trs& rest, const Locals& locals,
               const Parents& parents) {
    const double s = scaleAt(driver, scale, locals, parents) / scale.bind_scale;
    Trs trs = rest;
    trs.scale = {1, 1, 1};
    trs.scale[int(scale.axis)] = scale.reciprocal ? 1 / s : s;
    return trs;
}

template <class Learned, class Locals>
Trs learnedLocal(const Learned& learned, const Locals& locals) {
    Vec3d move[2];  // translation and rotation vector
    const std::size_t row = kLearnedTerms * learned.inputs.size();
    for (std::size_t i = 0; i < learned.inputs.size(); ++i) {
        const auto terms = learnedTerms(learned.inputs[i].bind_rotation, locals.rotation(learned.inputs[i].node));
        for (std::size_t r = 0; r < 6; ++r)
            for (std::size_t k = 0; k < kLearnedTerms; ++k)
                move[r / 3][int(r % 3)] += learned.coefficients[r * row + kLearnedTerms * i + k] * terms[k];
    }
    Trs trs = learned.placed;
    trs.translation += move[0];
    const double angle = length(move[1]);
    if (angle > 0) trs.rotation = axisAngle(move[1], angle) * trs.rotation;
    return trs;
}

/// The sum over the inputs of a virtual joint, in a common space; rig::VirtualInput has the formula.
struct VirtualSum {
    Mat3d s{{{}, {}, {}}}, stretch{{{}, {}, {}}};  ///< S, and Σ ω (X − R)
    Vec3d q;

    /// `x` is the frame of an input, `block` sixteen numbers by columns.
    void add(const Affine3d& x, const double* block) {
        const Mat3d linear = x.linear(), r = boneRotation(linear);
        for (int c = 0; c < 3; ++c)
            s.col[c] +=
                r * Vec3d(block[4 * c], block[4 * c + 1], block[4 * c + 2]) + x.translation() * block[4 * c + 3];
        q += r * Vec3d(block[12], block[13], block[14]) + x.translation() * block[15];
        stretch = stretch + (linear + r * -1.0) * block[15];
    }
    Affine3d world(const Affine3d& first, double scale) const {
        return {(nearestRotation(s, boneRotation(first.linear())).rotation + stretch) * scale, q};
    }
};

/// The frame of a virtual joint, in the space that `worlds(node)` maps to.
template <class Virtual, class Worlds>
Affine3d virtualWorld(const Virtual& joint, const Worlds& worlds) {
    VirtualSum sum;
    for (const auto& input : joint.inputs) sum.add(worlds(input.node) * input.place, input.block.data());
    const auto& first = joint.inputs.front();
    return sum.world(worlds(first.node) * first.place, joint.frame_scale);
}

}  // namespace pelt::runtime
