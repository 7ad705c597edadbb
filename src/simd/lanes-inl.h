// Three-vectors of lanes, for every kernel. Highway compiles this once per instruction set, so the guard toggles.
#if defined(PELT_SIMD_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PELT_SIMD_LANES_INL_H_
#undef PELT_SIMD_LANES_INL_H_
#else
#define PELT_SIMD_LANES_INL_H_
#endif

#include <hwy/highway.h>
#include <pelt/core/vec.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace pelt::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// At most sixteen lanes, the size of a block of packed rigs: wider registers could only be half filled.
using Lanes = hn::CappedTag<float, 16>;
using V = hn::Vec<Lanes>;
constexpr std::size_t kStep = hn::MaxLanes(Lanes());

/// One three-vector per lane.
struct Xyz {
    V x, y, z;
};

/// Reads and writes `kStep` consecutive Vec3f as lanes.
#if HWY_MAX_BYTES == 64
/// 3 and 16 have no common divisor: lane l of the three registers has a different component in each, given by l mod 3.
/// A component therefore takes two masked moves and one permutation, half of what Highway's general code needs.
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
    /// Lane l of a, b or c if l mod 3 is 0, 1 or 2.
    HWY_INLINE V mixed(V a, V b, V c) const { return hn::IfThenElse(first_, a, hn::IfThenElse(second_, b, c)); }

    static constexpr std::uint8_t kFirst[8] = {0x49, 0x92}, kSecond[8] = {0x92, 0x24};
    hn::Mask<Lanes> first_ = hn::LoadMaskBits(Lanes(), kFirst), second_ = hn::LoadMaskBits(Lanes(), kSecond);
    hn::Indices512<float> in_[3], out_[3];
};
#elif HWY_TARGET == HWY_WASM
/// Highway 1.0.3 goes through bytes, which cost several instructions each in a browser; numbers take one.
class Triples {
public:
    HWY_INLINE Xyz load(const Vec3f* from) const {
        const float* f = &from->x;
        const v128_t r0 = wasm_v128_load(f), r1 = wasm_v128_load(f + 4), r2 = wasm_v128_load(f + 8);
        return {V{wasm_i32x4_shuffle(r0, wasm_i32x4_shuffle(r1, r2, 2, 5, 2, 5), 0, 3, 4, 5)},
                V{wasm_i32x4_shuffle(wasm_i32x4_shuffle(r0, r1, 1, 4, 1, 4), wasm_i32x4_shuffle(r1, r2, 3, 6, 3, 6), 0,
                                     1, 4, 5)},
                V{wasm_i32x4_shuffle(wasm_i32x4_shuffle(r0, r1, 2, 5, 2, 5), r2, 0, 1, 4, 7)}};
    }
    HWY_INLINE void store(const Xyz& v, Vec3f* to) const {
        float* f = &to->x;
        const v128_t x = v.x.raw, y = v.y.raw, z = v.z.raw;
        wasm_v128_store(f, wasm_i32x4_shuffle(wasm_i32x4_shuffle(x, y, 0, 4, 1, 5), z, 0, 1, 4, 2));
        wasm_v128_store(f + 4, wasm_i32x4_shuffle(wasm_i32x4_shuffle(y, z, 1, 5, 2, 6), x, 0, 1, 6, 2));
        wasm_v128_store(f + 8, wasm_i32x4_shuffle(wasm_i32x4_shuffle(z, x, 2, 7, 2, 7),
                                                  wasm_i32x4_shuffle(y, z, 3, 7, 3, 7), 0, 1, 4, 5));
    }
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

}  // namespace HWY_NAMESPACE
}  // namespace pelt::simd
HWY_AFTER_NAMESPACE();

#endif
