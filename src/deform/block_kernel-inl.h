// What the kernels share: three-vectors of lanes, and the walk over blocks of vertices. Highway compiles this
// once per instruction set, so the guard toggles.
#if defined(PELT_DEFORM_BLOCK_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PELT_DEFORM_BLOCK_KERNEL_INL_H_
#undef PELT_DEFORM_BLOCK_KERNEL_INL_H_
#else
#define PELT_DEFORM_BLOCK_KERNEL_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "influence_blocks.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::deform {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// At most a block: wider registers would only have halves to fill.
using Lanes = hn::CappedTag<float, InfluenceBlocks::kLanes>;
using V = hn::Vec<Lanes>;
constexpr std::size_t kStep = hn::MaxLanes(Lanes());

/// One three-vector per lane.
struct Xyz {
    V x, y, z;
};

/// Reads and writes `kStep` consecutive Vec3f as lanes.
#if HWY_MAX_BYTES == 64
/// 3 and 16 have no common divisor: lane l of the three registers holds a different component in each, and l mod 3 says
/// which. So a component is two masked moves and one permutation away, half of what Highway's general code takes.
class Triples {
public:
    Triples() {
        alignas(64) std::int32_t in[3][kStep], out[3][kStep];
        for (std::int32_t i = 0; i < 16; ++i)
            for (std::int32_t c = 0; c < 3; ++c) {
                const std::int32_t place = 3 * i + c;
                in[c][i] = place % 16;
                out[c][place % 16] = i;
            }
        for (int c = 0; c < 3; ++c) {
            in_[c] = hn::SetTableIndices(Lanes(), in[c]);
            out_[c] = hn::SetTableIndices(Lanes(), out[c]);
        }
    }

    HWY_INLINE Xyz load(const Vec3f* from) const {
        const Lanes d;
        const float* f = &from->x;
        const V r0 = hn::LoadU(d, f), r1 = hn::LoadU(d, f + 16), r2 = hn::LoadU(d, f + 32);
        return {hn::TableLookupLanes(mixed(r0, r2, r1), in_[0]), hn::TableLookupLanes(mixed(r1, r0, r2), in_[1]),
                hn::TableLookupLanes(mixed(r2, r1, r0), in_[2])};
    }

    HWY_INLINE void store(const Xyz& v, Vec3f* to) const {
        const Lanes d;
        float* f = &to->x;
        const V x = hn::TableLookupLanes(v.x, out_[0]), y = hn::TableLookupLanes(v.y, out_[1]),
                z = hn::TableLookupLanes(v.z, out_[2]);
        hn::StoreU(mixed(x, y, z), d, f);
        hn::StoreU(mixed(y, z, x), d, f + 16);
        hn::StoreU(mixed(z, x, y), d, f + 32);
    }

private:
    /// Lane l of a, b or c as l mod 3 is 0, 1 or 2.
    HWY_INLINE V mixed(V a, V b, V c) const { return hn::IfThenElse(first_, a, hn::IfThenElse(second_, b, c)); }

    static constexpr std::uint8_t kFirst[8] = {0x49, 0x92}, kSecond[8] = {0x92, 0x24};
    hn::Mask<Lanes> first_ = hn::LoadMaskBits(Lanes(), kFirst), second_ = hn::LoadMaskBits(Lanes(), kSecond);
    hn::Indices512<float> in_[3], out_[3];
};
#else
class Triples {
public:
    HWY_INLINE Xyz load(const Vec3f* from) const {
        Xyz v;
        hn::LoadInterleaved3(Lanes(), &from->x, v.x, v.y, v.z);
        return v;
    }
    HWY_INLINE void store(const Xyz& v, Vec3f* to) const { hn::StoreInterleaved3(v.x, v.y, v.z, Lanes(), &to->x); }
};
#endif

HWY_INLINE V dot(const Xyz& a, const Xyz& b) { return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z))); }

HWY_INLINE Xyz cross(const Xyz& a, const Xyz& b) {
    return {hn::MulSub(a.y, b.z, hn::Mul(a.z, b.y)), hn::MulSub(a.z, b.x, hn::Mul(a.x, b.z)),
            hn::MulSub(a.x, b.y, hn::Mul(a.y, b.x))};
}

/// a s + b
HWY_INLINE Xyz mulAdd(const Xyz& a, V s, const Xyz& b) {
    return {hn::MulAdd(a.x, s, b.x), hn::MulAdd(a.y, s, b.y), hn::MulAdd(a.z, s, b.z)};
}

/// a s − b
HWY_INLINE Xyz mulSub(const Xyz& a, V s, const Xyz& b) {
    return {hn::MulSub(a.x, s, b.x), hn::MulSub(a.y, s, b.y), hn::MulSub(a.z, s, b.z)};
}

HWY_INLINE Xyz mul(const Xyz& a, V s) { return {hn::Mul(a.x, s), hn::Mul(a.y, s), hn::Mul(a.z, s)}; }

/// Adds w times three numbers that all lanes share.
HWY_INLINE void addScaled(const float* numbers, V w, Xyz& sum) {
    const Lanes d;
    sum.x = hn::MulAdd(w, hn::Set(d, numbers[0]), sum.x);
    sum.y = hn::MulAdd(w, hn::Set(d, numbers[1]), sum.y);
    sum.z = hn::MulAdd(w, hn::Set(d, numbers[2]), sum.z);
}

/// The lanes of a block from `lane` on whose bit is set.
HWY_INLINE hn::Mask<Lanes> lanesOf(std::uint32_t bits, std::size_t lane) {
    const std::uint64_t here = bits >> lane;
    std::uint8_t bytes[8];
    hwy::CopyBytes<8>(&here, bytes);
    return hn::LoadMaskBits(Lanes(), bytes);
}

/// Where the lanes of one step are read and written.
struct Step {
    std::size_t block, lane;
    const VertexStreams& streams;
    const Vec3f *positions, *normals;  ///< null: the rig's own rows
    Vec3f *out_positions, *out_normals;
    std::size_t vertex;  ///< the first lane's, in `streams`
};

HWY_INLINE Xyz load(const VectorRows& rows, std::size_t lane) {
    const Lanes d;
    return {hn::Load(d, rows.x + lane), hn::Load(d, rows.y + lane), hn::Load(d, rows.z + lane)};
}

HWY_INLINE Xyz restPositions(const Triples& triples, const Step& s) {
    return s.streams.positions ? triples.load(s.streams.positions + s.vertex)
                               : load(s.streams.own_positions[s.block], s.lane);
}

HWY_INLINE Xyz restNormals(const Triples& triples, const Step& s) {
    return s.streams.normals ? triples.load(s.streams.normals + s.vertex)
                             : load(s.streams.own_normals[s.block], s.lane);
}

/// Room for one block, for those that a range cuts.
class BlockCopy {
public:
    /// Copies the lanes [begin, end) of the block from vertex `start` on, and gives streams for the whole block.
    HWY_NOINLINE VertexStreams read(VertexStreams s, std::size_t start, std::size_t begin, std::size_t end) {
        if (s.positions) std::copy(s.positions + start + begin, s.positions + start + end, positions_ + begin);
        if (s.normals) std::copy(s.normals + start + begin, s.normals + start + end, normals_ + begin);
        if (s.positions) s.positions = positions_;
        if (s.normals) s.normals = normals_;
        s.out_positions = positions_;
        if (s.out_normals) s.out_normals = normals_;
        return s;
    }
    HWY_NOINLINE void write(const VertexStreams& s, std::size_t start, std::size_t begin, std::size_t end) const {
        std::copy(positions_ + begin, positions_ + end, s.out_positions + start + begin);
        if (s.out_normals) std::copy(normals_ + begin, normals_ + end, s.out_normals + start + begin);
    }

private:
    Vec3f positions_[InfluenceBlocks::kLanes], normals_[InfluenceBlocks::kLanes];
};

/// Calls `body(step)` for a block whose first vertex is `start` in the streams.
template <class Body>
HWY_INLINE void forBlock(const VertexStreams& s, std::size_t block, std::size_t start, const Body& body) {
    for (std::size_t lane = 0; lane < InfluenceBlocks::kLanes; lane += kStep) {
        const std::size_t v = start + lane;
        body(Step{block, lane, s, s.positions ? s.positions + v : nullptr, s.normals ? s.normals + v : nullptr,
                  s.out_positions + v, s.out_normals ? s.out_normals + v : nullptr, v});
    }
}

/// The same for the lanes [begin, end) only, on a copy.
template <class Body>
HWY_NOINLINE void forCutBlock(const VertexStreams& s, std::size_t block, std::size_t begin, std::size_t end,
                              const Body& body) {
    const std::size_t start = block * InfluenceBlocks::kLanes;
    BlockCopy copy;
    forBlock(copy.read(s, start, begin, end), block, 0, body);
    copy.write(s, start, begin, end);
}

/// Calls `whole(streams, block, end)` for the whole blocks of the vertices [first, last), and `cut(step)` for those
/// that the range cuts. These are computed whole on a copy: a vertex gets the same operations however ranges are cut,
/// and nothing outside the range is read of the caller's memory or written.
template <class Cut, class Whole>
HWY_INLINE void forEachBlock(const VertexStreams& streams, std::size_t first, std::size_t last, const Cut& cut,
                             const Whole& whole) {
    constexpr std::size_t kLanes = InfluenceBlocks::kLanes;
    std::size_t block = first / kLanes;
    if (first % kLanes != 0 && first < last) {
        forCutBlock(streams, block, first % kLanes, std::min(kLanes, last - block * kLanes), cut);
        ++block;
    }
    const std::size_t end = last / kLanes;
    if (block < end) whole(streams, block, end);
    if (std::max(block, end) * kLanes < last) forCutBlock(streams, std::max(block, end), 0, last % kLanes, cut);
}

template <class Body>
struct EachWholeBlock {
    const Body& body;
    HWY_INLINE void operator()(const VertexStreams& streams, std::size_t block, std::size_t end) const {
        for (; block < end; ++block) forBlock(streams, block, block * InfluenceBlocks::kLanes, body);
    }
};

/// Calls `body(step)` for the vertices [first, last), `kStep` lanes at a time.
template <class Body>
HWY_INLINE void forEachStep(const VertexStreams& streams, std::size_t first, std::size_t last, const Body& body) {
    forEachBlock(streams, first, last, body, EachWholeBlock<Body>{body});
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::deform
HWY_AFTER_NAMESPACE();

#endif
