// Dual quaternion skinning [Kavan08] with stretches, for blocks of vertices that share their list of joints;
// dqs_reference.cpp has the formulas. Written out for a vector x, with b = (r, w), e = (g, h), s = 2/|b|²:
//     b x b* / |b|² + 2 vec(e b*) / |b|² = x + s (r × (r × x + w x + g) + w g − h r)
#include "simd/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/dqs/dqs_kernel.cpp"
#include <hwy/foreach_target.h>
//
#include <cassert>

#include "dqs_rig.h"
#include "runtime/block_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::runtime {
namespace HWY_NAMESPACE {

struct Quaternion {
    Xyz v;
    V w;
};

struct DualQuaternion {
    Quaternion b, e;
};

/// xx, xy, xz, yy, yz, zz
struct Symmetric {
    V xx, xy, xz, yy, yz, zz;
};

HWY_INLINE Xyz splat(const Vec3f& v) {
    const Lanes d;
    return {hn::Set(d, v.x), hn::Set(d, v.y), hn::Set(d, v.z)};
}

HWY_INLINE Xyz add(const Xyz& a, const Xyz& b) { return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)}; }
HWY_INLINE Xyz sub(const Xyz& a, const Xyz& b) { return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)}; }

HWY_INLINE void addScaled(const float* joint, V w, Symmetric& sum) {
    const Lanes d;
    sum.xx = hn::MulAdd(w, hn::Set(d, joint[0]), sum.xx);
    sum.xy = hn::MulAdd(w, hn::Set(d, joint[1]), sum.xy);
    sum.xz = hn::MulAdd(w, hn::Set(d, joint[2]), sum.xz);
    sum.yy = hn::MulAdd(w, hn::Set(d, joint[3]), sum.yy);
    sum.yz = hn::MulAdd(w, hn::Set(d, joint[4]), sum.yz);
    sum.zz = hn::MulAdd(w, hn::Set(d, joint[5]), sum.zz);
}

/// m x + offset
HWY_INLINE Xyz transform(const Symmetric& m, const Xyz& x, const Xyz& offset) {
    return {hn::MulAdd(m.xx, x.x, hn::MulAdd(m.xy, x.y, hn::MulAdd(m.xz, x.z, offset.x))),
            hn::MulAdd(m.xy, x.x, hn::MulAdd(m.yy, x.y, hn::MulAdd(m.yz, x.z, offset.y))),
            hn::MulAdd(m.xz, x.x, hn::MulAdd(m.yz, x.y, hn::MulAdd(m.zz, x.z, offset.z)))};
}

/// Data shared by the blocks of one range: the rig, the pose, and the entries of a block.
struct DqsSums {
    const DqsData& rig;
    const DqsPose::Data& pose;

    HWY_INLINE V weight(std::size_t entry, std::size_t lane) const {
        return hn::Load(Lanes(), rig.rows[entry].lane + lane);
    }

    /// Whether some lane of the block must negate a joint.
    HWY_INLINE bool opposed(std::size_t block) const {
        if (pose.aligned) return false;
        unsigned any = 0;
        for (std::uint32_t i = rig.meeting_offsets[block]; i < rig.meeting_offsets[block + 1]; ++i)
            any |= pose.opposed[rig.meetings[i].pair];
        return any != 0;
    }

    /// The weight of an entry, negated in lanes where its joint is on the opposite hemisphere of the lane's heaviest.
    /// `meeting`: the first one not used by an earlier entry; advanced past those of this entry.
    HWY_INLINE V signedWeight(std::uint32_t entry, std::size_t lane, const Meeting*& meeting,
                              const Meeting* last) const {
        std::uint32_t lanes = 0;
        for (; meeting != last && meeting->entry == entry; ++meeting)
            if (pose.opposed[meeting->pair]) lanes |= meeting->lanes;
        const V w = weight(entry, lane);
        return hn::IfThenElse(lanesOf(lanes, lane), hn::Neg(w), w);
    }

    HWY_INLINE void accumulate(std::size_t entry, V w, Quaternion& b, Quaternion& e) const {
        const RigidJoint& joint = pose.rigid[rig.joints[entry]];
        addScaled(joint.q, w, b.v);
        addScaled(joint.d, w, e.v);
        b.w = hn::MulAdd(w, hn::Set(Lanes(), joint.q[3]), b.w);
        e.w = hn::MulAdd(w, hn::Set(Lanes(), joint.d[3]), e.w);
    }

    /// Σ_j ±w_j (q_j + ε d_j), with q_j on the hemisphere of the heaviest joint's.
    HWY_INLINE DualQuaternion blendRigid(std::size_t block, std::size_t lane) const {
        const V zero = hn::Zero(Lanes());
        Quaternion b{{zero, zero, zero}, zero}, e = b;
        const std::uint32_t first = rig.offsets[block], last = rig.offsets[block + 1];
        if (HWY_UNLIKELY(opposed(block))) {
            const Meeting* meeting = rig.meetings.data() + rig.meeting_offsets[block];
            const Meeting* end = rig.meetings.data() + rig.meeting_offsets[block + 1];
            for (std::uint32_t i = first; i < last; ++i) accumulate(i, signedWeight(i, lane, meeting, end), b, e);
        } else {
            for (std::uint32_t i = first; i < last; ++i) accumulate(i, weight(i, lane), b, e);
        }
        return {b, e};
    }

    /// Whether a joint of the block stretches. Few joints of a rig do, even if some are scaled.
    HWY_INLINE bool stretches(std::size_t entry, std::size_t end) const {
        std::uint32_t any = 0;
        for (; entry < end; ++entry) any |= pose.stretch[rig.joints[entry]].stretches;
        return any != 0;
    }

    /// (Σ_j w_j S_j) y + Σ_j w_j offset_j: exactly y if no joint of the lane stretches, since weights sum to exactly 1.
    HWY_INLINE Xyz stretched(std::size_t entry, std::size_t end, std::size_t lane, const Xyz& y) const {
        const V zero = hn::Zero(Lanes());
        Symmetric sum{zero, zero, zero, zero, zero, zero};
        Xyz offset{zero, zero, zero};
        for (; entry < end; ++entry) {
            const StretchJoint& joint = pose.stretch[rig.joints[entry]];
            const V w = weight(entry, lane);
            addScaled(joint.stretch, w, sum);
            addScaled(joint.offset, w, offset);
        }
        return transform(sum, y, offset);
    }

    /// The blended reflection of a normal, unit; the normal itself if the result is zero.
    HWY_INLINE Xyz mirrored(std::size_t entry, std::size_t end, std::size_t lane, const Xyz& n) const {
        const Lanes d;
        const V zero = hn::Zero(d);
        Symmetric sum{zero, zero, zero, zero, zero, zero};
        for (; entry < end; ++entry) addScaled(pose.stretch[rig.joints[entry]].mirror, weight(entry, lane), sum);
        const Xyz direction = transform(sum, n, {zero, zero, zero});
        const V squared = dot(direction, direction);
        const Xyz unit = mul(direction, hn::Div(hn::Set(d, 1.0f), hn::Sqrt(squared)));
        const auto valid = hn::Gt(squared, hn::Set(d, 1e-12f));
        return {hn::IfThenElse(valid, unit.x, n.x), hn::IfThenElse(valid, unit.y, n.y),
                hn::IfThenElse(valid, unit.z, n.z)};
    }
};

/// A functor instead of a lambda, because compilers do not inline a lambda here. Properties of the pose are tested per
/// block: predictable branches cost less than a copy of this code for each case.
struct DqsBlock {
    DqsSums sums;
    Triples triples{};

    HWY_INLINE void operator()(const Step& s) const {
        const std::size_t entry = sums.rig.offsets[s.block], end = sums.rig.offsets[s.block + 1];
        const DualQuaternion dq = sums.blendRigid(s.block, s.lane);
        const Xyz r = dq.b.v;
        const V scale = hn::Div(hn::Set(Lanes(), 2.0f), hn::MulAdd(dq.b.w, dq.b.w, dot(r, r)));

        const Xyz middle = splat(sums.rig.origin);
        Xyz x = restPositions(triples, s), y = sub(x, middle);
        if (sums.pose.stretched) {
            if (sums.stretches(entry, end)) y = sums.stretched(entry, end, s.lane, y);
            x = add(y, middle);  // in every block, so that copies of a vertex are bit-identical
        }
        const Xyz u = add(cross(r, y), mulAdd(y, dq.b.w, dq.e.v));
        const Xyz moved = add(cross(r, u), mulSub(dq.e.v, dq.b.w, mul(r, dq.e.w)));
        // x instead of y + middle, so that without motion the result is exactly x
        triples.store(add(mulAdd(moved, scale, splat(sums.pose.shift)), x), s.streams.out_positions + s.out);

        if (s.streams.out_normals) {
            Xyz n = restNormals(triples, s);
            if (sums.pose.mirrored) n = sums.mirrored(entry, end, s.lane, n);
            triples.store(mulAdd(cross(r, mulAdd(n, dq.b.w, cross(r, n))), scale, n), s.streams.out_normals + s.out);
        }
    }
};

void dqsRange(const DqsData& rig, const DqsPose::Data& pose, const VertexStreams& streams, std::size_t first,
              std::size_t last) {
    forEachStep(streams, first, last, DqsBlock{{rig, pose}});
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::runtime
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::runtime {

HWY_EXPORT(dqsRange);

void evaluate([[maybe_unused]] const DqsRig& rig, const DqsPose& pose, const RestShape& rest, std::size_t first,
              std::size_t count, const Output& out) noexcept {
    const DqsData& data = pose.data().rig;
    assert(pose.data().bytes == rig.bytes().data());
    assert(isRange(data.vertex_count, rest, first, count, out));
    if (count == 0) return;
    HWY_DYNAMIC_DISPATCH(dqsRange)(data, pose.data(), resolveStreams(data.rest, rest, out), first, first + count);
}

}  // namespace pelt::runtime
#endif
