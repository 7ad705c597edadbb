// Linear blend skinning [Magnenat88], x' = (Σ_j w_j M_j) x, for blocks of vertices that share their list of joints. As
// weights sum to 1, the blend is M_a + Σ_{j≠a} w_j (M_j − M_a) for a any joint, here the vertex's base (lbs_layout.h).
// Normals are transformed by the cofactor matrix of the blend, which is its inverse transpose up to a factor of either
// sign.
#include "simd/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/lbs/lbs_kernel.cpp"
#include <hwy/foreach_target.h>
//
#include <cassert>

#include "lbs_rig.h"
#include "runtime/block_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::runtime {
namespace HWY_NAMESPACE {

/// One blended matrix per lane, by columns.
struct BlendedMatrix {
    Xyz a, b, c, t;
};

HWY_INLINE Xyz splat(const float* numbers) {
    const Lanes d;
    return {hn::Set(d, numbers[0]), hn::Set(d, numbers[1]), hn::Set(d, numbers[2])};
}

/// A joint's matrix in every lane.
HWY_INLINE BlendedMatrix splat(const Affine3f& joint) {
    return {splat(joint.m), splat(joint.m + 4), splat(joint.m + 8), splat(joint.m + 12)};
}

HWY_INLINE Xyz choose(hn::Mask<Lanes> mask, const Xyz& yes, const Xyz& no) {
    return {hn::IfThenElse(mask, yes.x, no.x), hn::IfThenElse(mask, yes.y, no.y), hn::IfThenElse(mask, yes.z, no.z)};
}

/// Each lane's base, if the lanes have different ones.
HWY_INLINE BlendedMatrix baseOf(const LbsBase* base, const LbsBase* end, const Affine3f* joints, std::size_t lane) {
    BlendedMatrix m = splat(joints[base->joint]);
    for (++base; base < end; ++base) {
        const auto mask = lanesOf(base->lanes, lane);
        const BlendedMatrix other = splat(joints[base->joint]);
        m = {choose(mask, other.a, m.a), choose(mask, other.b, m.b), choose(mask, other.c, m.c),
             choose(mask, other.t, m.t)};
    }
    return m;
}

/// cof(A) n · sign(det A), unit; the rest normal if the result has no direction.
/// With columns a, b, c: cof(A) n = n_x b×c + n_y c×a + n_z a×b = (n_x b − n_y a)×c + n_z a×b.
HWY_INLINE Xyz transformNormal(const BlendedMatrix& m, const Xyz& n) {
    const Lanes d;
    const Xyz ab = cross(m.a, m.b);
    const Xyz along = mulSub(m.b, n.x, mul(m.a, n.y));
    const Xyz direction = mulAdd(ab, n.z, cross(along, m.c));
    const V squared = dot(direction, direction);
    const V length = hn::CopySignToAbs(hn::Sqrt(squared), dot(ab, m.c));
    const Xyz unit = mul(direction, hn::Div(hn::Set(d, 1.0f), length));
    const auto valid = hn::And(hn::Gt(squared, hn::Set(d, 1e-37f)), hn::Lt(squared, hn::Set(d, 3e38f)));
    return {hn::IfThenElse(valid, unit.x, n.x), hn::IfThenElse(valid, unit.y, n.y), hn::IfThenElse(valid, unit.z, n.z)};
}

/// An address that is in a register. Compilers would write base + index in each multiply-add instead, which processors
/// then take for two operations.
HWY_INLINE const float* inRegister(const float* address) {
#if HWY_ARCH_X86 && defined(__GNUC__)
    __asm__("" : "+r"(address));
#endif
    return address;
}

/// What a step reads of a rig: the weights by entry, and the rest normals.
class FullForm {
public:
    HWY_INLINE FullForm(const LbsData& rig, const Step& s)
        : entries_(rig.entries.data()), rows_(rig.rows.data()), lane_(s.lane) {}
    HWY_INLINE std::size_t difference(std::size_t e) const { return entries_[e]; }
    HWY_INLINE V weights(std::size_t e) const { return hn::Load(Lanes(), rows_[e].lane + lane_); }
    static HWY_INLINE Xyz normals(const LbsData&, const Triples& triples, const Step& s) {
        return restNormals(triples, s);
    }

private:
    const std::uint32_t* entries_;
    const LaneRow* rows_;
    std::size_t lane_;
};

/// The same of a compact rig, where a row also has weights of other entries.
class CompactForm {
public:
    HWY_INLINE CompactForm(const LbsData& rig, const Step& s)
        : entries_(rig.compact_entries.data()), rows_(rig.rows.data() + rig.row_offsets[s.block]), lane_(s.lane) {}
    HWY_INLINE std::size_t difference(std::size_t e) const { return entries_[e].difference; }
    HWY_INLINE V weights(std::size_t e) const {
        const V row = hn::Load(Lanes(), rows_[entries_[e].row].lane + lane_);
        return hn::IfThenElseZero(lanesOf(entries_[e].lanes, lane_), row);
    }
    static HWY_INLINE Xyz normals(const LbsData& rig, const Triples& triples, const Step& s) {
        if (s.streams.normals) return triples.load(s.streams.normals + s.rest);
        const CompactNormals& own = rig.compact_normals[s.block];
        return {component(own.x + s.lane), component(own.y + s.lane), component(own.z + s.lane)};
    }

private:
    static HWY_INLINE V component(const std::int16_t* from) {
        const hn::Rebind<std::int16_t, Lanes> narrow;
        const hn::Rebind<std::int32_t, Lanes> wide;
        const Lanes d;
        return hn::Mul(hn::ConvertTo(d, hn::PromoteTo(wide, hn::Load(narrow, from))), hn::Set(d, 1 / 32767.0f));
    }

    const LbsCompactEntry* entries_;
    const LaneRow* rows_;
    std::size_t lane_;
};

/// A block whose lanes have the base `base`. A functor instead of a lambda, because compilers do not inline a lambda
/// here.
template <bool kNormals, class Form>
struct LbsStep {
    const LbsData& rig;
    const Affine3f* differences;
    const Triples& triples;
    const BlendedMatrix& base;

    HWY_INLINE void operator()(const Step& s) const {
        const Form form(rig, s);
        BlendedMatrix m = base;
        for (std::size_t e = rig.offsets[s.block], end = rig.offsets[s.block + 1]; e < end; ++e) {
            const float* difference = inRegister(differences[form.difference(e)].m);
            const V w = form.weights(e);
            addScaled(difference, w, m.a);
            addScaled(difference + 4, w, m.b);
            addScaled(difference + 8, w, m.c);
            addScaled(difference + 12, w, m.t);
        }
        const Xyz p = restPositions(triples, s);
        triples.store(mulAdd(m.a, p.x, mulAdd(m.b, p.y, mulAdd(m.c, p.z, m.t))), s.streams.out_positions + s.out);
        if constexpr (kNormals)
            triples.store(transformNormal(m, Form::normals(rig, triples, s)), s.streams.out_normals + s.out);
    }
};

template <bool kNormals, class Form>
struct LbsRange {
    const LbsData& rig;
    const LbsPose::Data& pose;
    Triples triples{};

    LbsStep<kNormals, Form> stepFrom(const BlendedMatrix& base) const {
        return {rig, pose.differences.data(), triples, base};
    }

    /// One step of any block of a run.
    HWY_INLINE void step(const LbsRun* run, const Step& s) const {
        const LbsBase* bases = rig.bases.data();
        const BlendedMatrix base = baseOf(bases + run[0].base, bases + run[1].base, pose.joints.data(), s.lane);
        stepFrom(base)(s);
    }

    /// The run that a block belongs to.
    const LbsRun* runOf(std::size_t block) const {
        return std::upper_bound(rig.runs.data(), rig.runs.data() + rig.runs.size(), block,
                                [](std::size_t b, const LbsRun& run) { return b < run.block; }) -
               1;
    }

    /// For blocks that are only partly in the range.
    HWY_NOINLINE void operator()(const Step& s) const { step(runOf(s.block), s); }

    /// The whole blocks [block, end). A run with one base keeps it in registers from block to block: broadcasting it
    /// again would cost much of what the differences save.
    HWY_INLINE void operator()(const VertexStreams& streams, std::size_t block, std::size_t end) const {
        for (const LbsRun* run = runOf(block); block < end; ++run) {
            if (run[1].base - run[0].base > 1) {
                mixedBlock(streams, run, block++);
                continue;
            }
            const BlendedMatrix base = splat(pose.joints[rig.bases[run->base].joint]);
            const std::size_t run_end = std::min<std::size_t>(end, run[1].block);
            for (; block < run_end; ++block) forBlock(streams, block, stepFrom(base));
        }
    }

private:
    HWY_NOINLINE void mixedBlock(const VertexStreams& streams, const LbsRun* run, std::size_t block) const {
        forBlock(streams, block, MixedStep{*this, run});
    }
    struct MixedStep {
        const LbsRange& range;
        const LbsRun* run;
        HWY_INLINE void operator()(const Step& s) const { range.step(run, s); }
    };
};

template <class Form>
HWY_INLINE void rangeOf(const LbsData& rig, const LbsPose::Data& pose, const VertexStreams& streams, std::size_t first,
                        std::size_t last) {
    if (streams.out_normals) {
        const LbsRange<true, Form> range{rig, pose};
        forEachBlock(streams, first, last, range, range);
    } else {
        const LbsRange<false, Form> range{rig, pose};
        forEachBlock(streams, first, last, range, range);
    }
}

void lbsRange(const LbsData& rig, const LbsPose::Data& pose, const VertexStreams& streams, std::size_t first,
              std::size_t last) {
    if (rig.compact_entries.empty())
        rangeOf<FullForm>(rig, pose, streams, first, last);
    else
        rangeOf<CompactForm>(rig, pose, streams, first, last);
}

void subtractAll(const LbsDifference* differences, std::size_t count, const Affine3f* joints, Affine3f* out) {
    const Lanes d;
    for (std::size_t n = 0; n < count; ++n)
        for (std::size_t i = 0; i < 16; i += kStep) {
            const V to = hn::Load(d, joints[differences[n].to].m + i);
            hn::Store(hn::Sub(to, hn::Load(d, joints[differences[n].from].m + i)), d, out[n].m + i);
        }
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::runtime
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::runtime {

HWY_EXPORT(lbsRange);
HWY_EXPORT(subtractAll);

void subtractJoints(LbsPose::Data& pose) noexcept {
    HWY_DYNAMIC_DISPATCH(subtractAll)
    (pose.rig.differences.data(), pose.differences.size(), pose.joints.data(), pose.differences.data());
}

void evaluate(const LbsRig& rig, const LbsPose& pose, const RestShape& rest, std::size_t first, std::size_t count,
              const Output& out) noexcept {
    const LbsData& data = pose.data().rig;
    assert(pose.data().bytes == rig.bytes().data());
    assert(isRange(data.vertex_count, rest, first, count, out));
    if (count == 0) return;
    VertexStreams streams = resolveStreams(rig.hasNormals(), rest, out);
    streams.own_positions = data.rest.positions.data();
    streams.own_normals = data.rest.normals.data();
    HWY_DYNAMIC_DISPATCH(lbsRange)(data, pose.data(), streams, first, first + count);
}

}  // namespace pelt::runtime
#endif
