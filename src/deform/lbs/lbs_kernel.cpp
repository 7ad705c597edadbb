// Linear blend skinning [Magnenat88], x' = (Σ_j w_j M_j) x, for blocks of vertices that share their list of joints.
// Normals go through the cofactor matrix of the blend, which is its inverse transpose up to a factor of either sign.
#include "../kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lbs/lbs_kernel.cpp"
#include <hwy/foreach_target.h>
//
#include <cassert>

#include "block_kernel-inl.h"
#include "lbs/lbs_layout.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::deform {
namespace HWY_NAMESPACE {

/// One blended matrix per lane, by columns.
struct BlendedMatrix {
    Xyz a, b, c, t;
};

HWY_INLINE Xyz scaled(const float* column, V w) {
    const Lanes d;
    return {hn::Mul(w, hn::Set(d, column[0])), hn::Mul(w, hn::Set(d, column[1])), hn::Mul(w, hn::Set(d, column[2]))};
}

/// Σ_j w_j M_j over the entries [entry, end), for the lanes from `lane` on.
HWY_INLINE BlendedMatrix blend(const InfluenceBlocks& blocks, const Affine3f* bones, std::size_t entry, std::size_t end,
                               std::size_t lane) {
    const Lanes d;
    const float* m = bones[blocks.joints[entry]].m;
    V w = hn::Load(d, blocks.rows[entry].weight + lane);
    BlendedMatrix sum{scaled(m, w), scaled(m + 4, w), scaled(m + 8, w), scaled(m + 12, w)};
    for (++entry; entry < end; ++entry) {
        m = bones[blocks.joints[entry]].m;
        w = hn::Load(d, blocks.rows[entry].weight + lane);
        addScaled(m, w, sum.a);
        addScaled(m + 4, w, sum.b);
        addScaled(m + 8, w, sum.c);
        addScaled(m + 12, w, sum.t);
    }
    return sum;
}

/// cof(A) n · sign(det A), unit; the rest normal where the blend leaves no direction.
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

/// A functor and not a lambda, whose body compilers leave out of line here.
struct LbsBlock {
    const InfluenceBlocks& blocks;
    const Affine3f* bones;
    Triples triples;

    HWY_INLINE void operator()(const Step& s) const {
        const BlendedMatrix m = blend(blocks, bones, blocks.offsets[s.block], blocks.offsets[s.block + 1], s.lane);
        const Xyz p = restPositions(triples, s);
        triples.store(mulAdd(m.a, p.x, mulAdd(m.b, p.y, mulAdd(m.c, p.z, m.t))), s.streams.out_positions + s.vertex);
        if (s.streams.out_normals)
            triples.store(transformNormal(m, restNormals(triples, s)), s.streams.out_normals + s.vertex);
    }
};

void lbsRange(const InfluenceBlocks& blocks, const Affine3f* bones, const VertexStreams& streams, std::size_t first,
              std::size_t last) {
    forEachStep(streams, first, last, LbsBlock{blocks, bones, {}});
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::deform
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::deform {

HWY_EXPORT(lbsRange);

void evaluate(const LbsRig& rig, std::span<const Affine3f> bones, const RestShape& rest, std::size_t first,
              std::size_t count, const Output& out) noexcept {
    const LbsRig::Packed& packed = *rig.packed;
    assert(bones.size() >= packed.blocks.joint_count);
    assert(first <= packed.blocks.vertex_count && count <= packed.blocks.vertex_count - first);
    if (count == 0) return;
    HWY_DYNAMIC_DISPATCH(lbsRange)
    (packed.blocks, bones.data(), resolveStreams(packed.rest, rest, out), first, first + count);
}

}  // namespace pelt::deform
#endif
