// The loop over blocks of vertices, shared by the kernels. Highway compiles this once per instruction set, so the guard
// toggles.
#if defined(PELT_RUNTIME_BLOCK_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PELT_RUNTIME_BLOCK_KERNEL_INL_H_
#undef PELT_RUNTIME_BLOCK_KERNEL_INL_H_
#else
#define PELT_RUNTIME_BLOCK_KERNEL_INL_H_
#endif

#include <algorithm>

#include "simd/lanes-inl.h"
#include "streams.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::runtime {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

static_assert(kLanes % kStep == 0);

/// Where the lanes of one step are read and written.
struct Step {
    std::size_t block, lane;
    const VertexStreams& streams;
    std::size_t rest, out;  ///< indices of the first lane in the caller's spans
};

HWY_INLINE Xyz load(const VectorRows& rows, std::size_t lane) {
    const Lanes d;
    return {hn::Load(d, rows.x + lane), hn::Load(d, rows.y + lane), hn::Load(d, rows.z + lane)};
}

HWY_INLINE Xyz restPositions(const Triples& triples, const Step& s) {
    return s.streams.positions ? triples.load(s.streams.positions + s.rest)
                               : load(s.streams.own_positions[s.block], s.lane);
}

HWY_INLINE Xyz restNormals(const Triples& triples, const Step& s) {
    return s.streams.normals ? triples.load(s.streams.normals + s.rest) : load(s.streams.own_normals[s.block], s.lane);
}

/// A buffer for one block, for blocks that a range contains only in part.
class BlockCopy {
public:
    /// Copies the lanes [begin, end) of the block that starts at vertex `start`, and returns streams for the whole
    /// block.
    HWY_NOINLINE VertexStreams read(VertexStreams s, std::size_t start, std::size_t begin, std::size_t end) {
        const std::size_t from = start + begin - s.rest_first;
        if (s.positions) std::copy_n(s.positions + from, end - begin, positions_ + begin);
        if (s.normals) std::copy_n(s.normals + from, end - begin, normals_ + begin);
        if (s.positions) s.positions = positions_;
        if (s.normals) s.normals = normals_;
        s.out_positions = positions_;
        if (s.out_normals) s.out_normals = normals_;
        s.rest_first = s.out_first = start;
        return s;
    }
    HWY_NOINLINE void write(const VertexStreams& s, std::size_t start, std::size_t begin, std::size_t end) const {
        const std::size_t to = start + begin - s.out_first;
        std::copy(positions_ + begin, positions_ + end, s.out_positions + to);
        if (s.out_normals) std::copy(normals_ + begin, normals_ + end, s.out_normals + to);
    }

private:
    Vec3f positions_[kLanes], normals_[kLanes];
};

/// Calls `body(step)` for a block that the streams have as a whole.
template <class Body>
HWY_INLINE void forBlock(const VertexStreams& s, std::size_t block, const Body& body) {
    const std::size_t start = block * kLanes, rest = start - s.rest_first, out = start - s.out_first;
    for (std::size_t lane = 0; lane < kLanes; lane += kStep) body(Step{block, lane, s, rest + lane, out + lane});
}

/// The same for the lanes [begin, end) only, on a copy.
template <class Body>
HWY_NOINLINE void forCutBlock(const VertexStreams& s, std::size_t block, std::size_t begin, std::size_t end,
                              const Body& body) {
    const std::size_t start = block * kLanes;
    BlockCopy copy;
    forBlock(copy.read(s, start, begin, end), block, body);
    copy.write(s, start, begin, end);
}

/// Calls `whole(streams, block, end)` for the whole blocks of the vertices [first, last), and `cut(step)` for those
/// that it contains only in part. Partial blocks are computed completely on a copy: a vertex gets the same operations
/// whatever the ranges are, and nothing outside the range is read from or written to the caller's memory.
template <class Cut, class Whole>
HWY_INLINE void forEachBlock(const VertexStreams& streams, std::size_t first, std::size_t last, const Cut& cut,
                             const Whole& whole) {
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
        for (; block < end; ++block) forBlock(streams, block, body);
    }
};

/// Calls `body(step)` for the vertices [first, last), `kStep` lanes at a time.
template <class Body>
HWY_INLINE void forEachStep(const VertexStreams& streams, std::size_t first, std::size_t last, const Body& body) {
    forEachBlock(streams, first, last, body, EachWholeBlock<Body>{body});
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::runtime
HWY_AFTER_NAMESPACE();

#endif
