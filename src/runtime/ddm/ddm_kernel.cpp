// Direct Delta Mush [LeLewis19] and Enhanced DDM [Kalentchouk20] for blocks of vertices that share their list of
// joints. The formulas are in ddm_reference.cpp, the form in which blocks sum them in ddm_layout.h.
#include "simd/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/ddm/ddm_kernel.cpp"
#include <hwy/foreach_target.h>
//
#include <cassert>

#include "ddm_sums_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::runtime {
namespace HWY_NAMESPACE {

/// |d| X d / |X d| + q; q if X d is zero.
HWY_INLINE Xyz withLengthOf(const Xyz& d, const Xyz& moved, const Xyz& q) {
    const V floor = hn::Set(Lanes(), 1e-36f);
    return mulAdd(moved, hn::Sqrt(hn::Div(dot(d, d), hn::Max(dot(moved, moved), floor))), q);
}

/// X n, unit; n if X n is zero.
HWY_INLINE Xyz unit(const Xyz& moved, const Xyz& n) {
    const Lanes d;
    const V squared = dot(moved, moved);
    const auto valid = hn::And(hn::Gt(squared, hn::Set(d, 1e-36f)), hn::Lt(squared, hn::Set(d, 1e36f)));
    return select(valid, mul(moved, hn::Div(hn::Set(d, 1.0f), hn::Sqrt(squared))), n);
}

/// cof(M) v with columns a, b, c of M: v_x b×c + v_y c×a + v_z a×b = (v_x b − v_y a)×c + v_z a×b.
HWY_INLINE Xyz cofactorTimes(const Matrix& m, const Xyz& v) {
    return mulAdd(cross(m.a, m.b), v.z, cross(mulSub(m.b, v.x, mul(m.a, v.y)), m.c));
}

/// The map of a vertex and its normal, by form.
struct ByRotation {
    Matrix r;
    HWY_INLINE Xyz position(const Xyz& d, const Xyz& q) const { return transformAdd(r, d, q); }
    HWY_INLINE Xyz normal(const Xyz& n) const { return transform(r, n); }
};

struct ByQuaternion {
    Quaternion b;
    V scale;  ///< 2 / |b|²
    HWY_INLINE Xyz turned(const Xyz& d, const Xyz& sum) const {
        return mulAdd(cross(b.v, mulAdd(d, b.w, cross(b.v, d))), scale, sum);
    }
    HWY_INLINE Xyz position(const Xyz& d, const Xyz& q) const { return turned(d, add(d, q)); }
    HWY_INLINE Xyz normal(const Xyz& n) const { return turned(n, n); }
};

struct ByMatrix {
    Matrix x;
    HWY_INLINE Xyz position(const Xyz& d, const Xyz& q) const { return withLengthOf(d, transform(x, d), q); }
    HWY_INLINE Xyz normal(const Xyz& n) const { return unit(transform(x, n), n); }
};

template <bool kPrinted>
struct ByCofactor {
    Matrix r;
    HWY_INLINE Xyz position(const Xyz& d, const Xyz& q) const {
        const Xyz moved = cofactorTimes(r, d);
        return kPrinted ? add(moved, q) : withLengthOf(d, moved, q);
    }
    HWY_INLINE Xyz normal(const Xyz& n) const { return unit(cofactorTimes(r, n), n); }
};

template <bool kEnhanced>
HWY_INLINE ByRotation solve(const DdmStep& s, Xyz& q) {
    const Procrustes sum = procrustes<kEnhanced>(s);
    q = sum.q;
    return {nearestRotation(sum.s, s.base.rotation)};
}

/// The blended map of the lanes of a step, and q, the transformed center.
template <DdmForm kForm>
HWY_INLINE auto blend(const DdmStep& s, Xyz& q) {
    if constexpr (kForm == DdmForm::v1 || kForm == DdmForm::v1_printed) {
        const Procrustes sum = leastSquares(s);
        q = sum.q;
        return ByCofactor<kForm == DdmForm::v1_printed>{sum.s};
    } else if constexpr (kForm == DdmForm::v2 || kForm == DdmForm::v4) {
        const Lanes d;
        const Quaternion b = blendQuaternions<kForm == DdmForm::v4>(s, q);
        const V squared = hn::Max(hn::MulAdd(b.w, b.w, dot(b.v, b.v)), hn::Set(d, 1e-36f));
        return ByQuaternion{b, hn::Div(hn::Set(d, 2.0f), squared)};
    } else if constexpr (kForm == DdmForm::v3) {
        return ByMatrix{blendRotations(s, q)};
    } else {
        return solve<kForm == DdmForm::eddm>(s, q);
    }
}

/// The vertices of one window that are in the range, relative to the window's first.
struct WindowPart {
    std::size_t start, low, high;
    HWY_INLINE bool has(std::size_t v) const { return v >= low && v < high; }
};

/// Buffers for the lanes of a block whose vertices are not consecutive.
struct BlockCopy16 {
    DdmRow rest[3], rest_normals[3];
    Vec3f positions[kLanes], normals[kLanes];
};

// `start` is the index of the window's first vertex in the caller's spans. They may start after it: the number wraps
// around then, and back when a vertex of the range is added.

/// The caller's vectors as rows; lanes outside the range are not read.
inline HWY_NOINLINE const DdmRow* gather(const DdmLanes& block, const WindowPart& part, std::size_t start,
                                         const Vec3f* from, DdmRow* to) {
    for (std::size_t l = 0; l < kLanes; ++l) {
        const std::size_t v = block.vertices[l];
        const Vec3f value = part.has(v) ? from[start + v] : Vec3f{};
        for (int i = 0; i < 3; ++i) to[i].lane[l] = value[i];
    }
    return to;
}

inline HWY_NOINLINE void scatterPart(const DdmLanes& block, const WindowPart& part, std::size_t start,
                                     const Vec3f* from, Vec3f* to) {
    for (std::size_t l = 0; l < kLanes; ++l)
        if (part.has(block.vertices[l])) to[start + block.vertices[l]] = from[l];
}

HWY_INLINE void scatter(const DdmLanes& block, std::size_t start, const Vec3f* from, Vec3f* to) {
#if HWY_TARGET <= HWY_AVX3
    // One masked store per vertex.
    const hn::FixedTag<float, 4> d;
    const auto three = hn::FirstN(d, 3);
    for (std::size_t l = 0; l < kLanes; ++l)
        hn::BlendedStore(hn::MaskedLoad(three, d, &from[l].x), three, d, &to[start + block.vertices[l]].x);
#else
    // Copies each vertex with two moves that are not reordered: compilers would otherwise load all sixteen first.
    for (std::size_t l = 0; l < kLanes; ++l) {
        float* out = &to[start + block.vertices[l]].x;
        hwy::CopyBytes<8>(&from[l].x, out);
        hwy::CopyBytes<4>(&from[l].z, out + 2);
    }
#endif
}

/// M u if the joint is rigid or may stretch the vertex, otherwise M p + R (u − p).
HWY_INLINE Xyz follow(const DdmStep& s, bool affine) {
    const Matrix a = splatMatrix(s.base.a);
    const Xyz t = splat(s.base.t);
    if (affine) return transformAdd(a, s.u, t);
    return transformAdd(splatMatrix(s.base.rotation), sub(s.u, s.p), transformAdd(a, s.p, t));
}

/// Whether two steps are computed together: with short registers, there are few of them, and the processor would wait
/// for divisions and roots.
template <DdmForm kForm>
constexpr bool kInPairs = kStep > 1 && kStep < kLanes && (kForm == DdmForm::v0 || kForm == DdmForm::eddm);

/// One range of vertices in one form.
template <DdmForm kForm>
class DdmRange {
public:
    DdmRange(const DdmData& rig, const DdmPose::Data& pose, const VertexStreams& streams)
        : rig_(rig), pose_(pose), streams_(streams) {}

    void run(std::size_t first, std::size_t last) const {
        BlockCopy16 copies[2];
        for (std::size_t w = first / kDdmWindow; w * kDdmWindow < last; ++w) {
            const std::size_t start = w * kDdmWindow;
            const WindowPart part{start, first > start ? first - start : 0, last - start};
            const DdmLanes* before = nullptr;
            std::size_t turn = 0;
            for (std::size_t b = rig_.windows[w]; b < rig_.windows[w + 1]; ++b) {
                const DdmLanes& block = rig_.blocks[b];
                if (block.highest < part.low || block.lowest >= part.high) continue;
                BlockCopy16& copy = copies[turn];
                const bool direct = block.consecutive && part.has(block.lowest) && part.has(block.highest);
                const std::size_t at = start + block.lowest - streams_.out_first;
                runBlock(b, part, copy, direct ? streams_.out_positions + at : copy.positions,
                         direct && streams_.out_normals ? streams_.out_normals + at : copy.normals);
                if (direct) continue;
                // Delayed by one block: data written as vectors is read as vertices only after it has left the store
                // buffer.
                turn ^= 1;
                if (before) write(*before, part, copies[turn]);
                before = &block;
            }
            if (before) write(*before, part, copies[turn ^ 1]);
        }
    }

private:
    HWY_INLINE void runBlock(std::size_t index, const WindowPart& part, BlockCopy16& copy, Vec3f* positions,
                             Vec3f* normals) const {
        const DdmLanes& block = rig_.blocks[index];
        const DdmRow* rows = rig_.rows.data() + block.row;
        const bool with_normals = streams_.out_normals != nullptr;
        const DdmRow *rest = rows, *rest_normals = nullptr;
        const std::size_t from = part.start - streams_.rest_first;
        if (HWY_UNLIKELY(streams_.positions != nullptr))
            rest = gather(block, part, from, streams_.positions, copy.rest);
        if (with_normals && !rig_.normals.empty()) rest_normals = rig_.normals.data() + 3 * index;
        if (HWY_UNLIKELY(streams_.normals != nullptr))
            rest_normals = gather(block, part, from, streams_.normals, copy.rest_normals);

        const auto step_at = [&](std::size_t lane) {
            return DdmStep{pose_.bases[block.base],
                           pose_.differences.data(),
                           rig_.entries.data() + block.entry,
                           rig_.entries.data() + rig_.blocks[index + 1].entry,
                           rows,
                           lane,
                           sub(loadXyz(rest, lane), splat(&rig_.origin.x)),
                           loadXyz(rows + 3, lane)};
        };
        if constexpr (kInPairs<kForm>) {
            if (block.kind != DdmKind::followed) {
                for (std::size_t lane = 0; lane < kLanes; lane += 2 * kStep)
                    runPair({step_at(lane), step_at(lane + kStep)}, rest_normals, positions, normals);
                return;
            }
        }
        for (std::size_t lane = 0; lane < kLanes; lane += kStep)
            runStep(block.kind, step_at(lane), rest_normals, positions + lane, normals + lane);
    }

    HWY_INLINE void runPair(const DdmStep (&steps)[2], const DdmRow* rest_normals, Vec3f* positions,
                            Vec3f* normals) const {
        Matrix s[2];
        Xyz q[2];
        procrustesTogether<kForm == DdmForm::eddm>(steps, s, q);
        takeNearestRotations(s, steps[0].base.rotation);
        for (int i = 0; i < 2; ++i)
            store(ByRotation{s[i]}, steps[i], q[i], rest_normals, positions + steps[i].lane, normals + steps[i].lane);
    }

    HWY_INLINE void write(const DdmLanes& block, const WindowPart& part, const BlockCopy16& copy) const {
        const std::size_t to = part.start - streams_.out_first;
        if (HWY_LIKELY(part.has(block.lowest) && part.has(block.highest))) {
            scatter(block, to, copy.positions, streams_.out_positions);
            if (streams_.out_normals) scatter(block, to, copy.normals, streams_.out_normals);
        } else {
            scatterPart(block, part, to, copy.positions, streams_.out_positions);
            if (streams_.out_normals) scatterPart(block, part, to, copy.normals, streams_.out_normals);
        }
    }

    HWY_INLINE void runStep(DdmKind kind, const DdmStep& s, const DdmRow* rest_normals, Vec3f* positions,
                            Vec3f* normals) const {
        if (kind == DdmKind::followed) {
            triples_.store(follow(s, kForm == DdmForm::eddm || pose_.rigid), positions);
            if (rest_normals)
                triples_.store(transform(splatMatrix(s.base.rotation), loadXyz(rest_normals, s.lane)), normals);
        } else if (hasCovariance(kForm) && kind == DdmKind::flat) {
            Xyz q;
            store(solve<false>(s, q), s, q, rest_normals, positions, normals);
        } else {
            Xyz q;
            store(blend<kForm>(s, q), s, q, rest_normals, positions, normals);
        }
    }

    template <class By>
    HWY_INLINE void store(const By& by, const DdmStep& s, const Xyz& q, const DdmRow* rest_normals, Vec3f* positions,
                          Vec3f* normals) const {
        triples_.store(by.position(sub(s.u, s.p), q), positions);
        if (rest_normals) triples_.store(by.normal(loadXyz(rest_normals, s.lane)), normals);
    }

    const DdmData& rig_;
    const DdmPose::Data& pose_;
    const VertexStreams streams_;
    const Triples triples_{};
};

template <DdmForm kForm>
void ddmRange(const DdmData& rig, const DdmPose::Data& pose, const VertexStreams& streams, std::size_t first,
              std::size_t last) {
    DdmRange<kForm>(rig, pose, streams).run(first, last);
}

void ddmRangeOf(DdmForm form, const DdmData& rig, const DdmPose::Data& pose, const VertexStreams& streams,
                std::size_t first, std::size_t last) {
    switch (form) {
        case DdmForm::v1:
            return ddmRange<DdmForm::v1>(rig, pose, streams, first, last);
        case DdmForm::v1_printed:
            return ddmRange<DdmForm::v1_printed>(rig, pose, streams, first, last);
        case DdmForm::v2:
            return ddmRange<DdmForm::v2>(rig, pose, streams, first, last);
        case DdmForm::v3:
            return ddmRange<DdmForm::v3>(rig, pose, streams, first, last);
        case DdmForm::v4:
            return ddmRange<DdmForm::v4>(rig, pose, streams, first, last);
        case DdmForm::eddm:
            return ddmRange<DdmForm::eddm>(rig, pose, streams, first, last);
        default:
            return ddmRange<DdmForm::v0>(rig, pose, streams, first, last);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::runtime
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::runtime {

HWY_EXPORT(ddmRangeOf);

void evaluate([[maybe_unused]] const DdmRig& rig, const DdmPose& pose, const RestShape& rest, std::size_t first,
              std::size_t count, const Output& out) noexcept {
    const DdmData& data = pose.data().rig;
    assert(pose.data().bytes == rig.bytes().data());
    assert(isRange(data.vertex_count, rest, first, count, out));
    if (count == 0) return;
    const VertexStreams streams = resolveStreams(!data.normals.empty(), rest, out);
    const bool enhanced = data.form == DdmForm::ddm && !pose.data().rigid;
    HWY_DYNAMIC_DISPATCH(ddmRangeOf)
    (enhanced ? DdmForm::eddm : data.form, data, pose.data(), streams, first, first + count);
}

}  // namespace pelt::runtime
#endif
