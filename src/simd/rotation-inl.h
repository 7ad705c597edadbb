// Nearest rotations, one per lane; rotation.cpp has the formulas. Highway compiles this once per instruction set, so
// the guard toggles.
#if defined(PELT_SIMD_ROTATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PELT_SIMD_ROTATION_INL_H_
#undef PELT_SIMD_ROTATION_INL_H_
#else
#define PELT_SIMD_ROTATION_INL_H_
#endif

#include <pelt/runtime/rotation.h>

#include "lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::simd {
namespace HWY_NAMESPACE {

/// One matrix per lane, by columns.
struct Matrix {
    Xyz a, b, c;
};

using LaneMask = hn::Mask<Lanes>;

HWY_INLINE Xyz splat(const float* v) {
    const Lanes d;
    return {hn::Set(d, v[0]), hn::Set(d, v[1]), hn::Set(d, v[2])};
}

HWY_INLINE Matrix splatMatrix(const float* columns) { return {splat(columns), splat(columns + 3), splat(columns + 6)}; }

HWY_INLINE Matrix cofactor(const Matrix& m) { return {cross(m.b, m.c), cross(m.c, m.a), cross(m.a, m.b)}; }

HWY_INLINE V squaredNorm(const Matrix& m) {
    const V ab = hn::Add(dot(m.a, m.a), dot(m.b, m.b));
    return hn::Add(ab, dot(m.c, m.c));
}

HWY_INLINE Matrix mul(const Matrix& m, V s) { return {mul(m.a, s), mul(m.b, s), mul(m.c, s)}; }

/// a s + b
HWY_INLINE Matrix mulAdd(const Matrix& a, V s, const Matrix& b) {
    return {mulAdd(a.a, s, b.a), mulAdd(a.b, s, b.b), mulAdd(a.c, s, b.c)};
}

HWY_INLINE Xyz select(LaneMask mask, const Xyz& yes, const Xyz& no) {
    return {hn::IfThenElse(mask, yes.x, no.x), hn::IfThenElse(mask, yes.y, no.y), hn::IfThenElse(mask, yes.z, no.z)};
}

HWY_INLINE Matrix select(LaneMask mask, const Matrix& yes, const Matrix& no) {
    return {select(mask, yes.a, no.a), select(mask, yes.b, no.b), select(mask, yes.c, no.c)};
}

HWY_INLINE Xyz transform(const Matrix& m, const Xyz& v) { return mulAdd(m.a, v.x, mulAdd(m.b, v.y, mul(m.c, v.z))); }

/// cos(acos(x) / 3) for x in [-1, 1] is cos(2/3 acos(t)) with t = sqrt((1 + x) / 2): smooth in t, so that a
/// polynomial (interpolated at Chebyshev points) is within 1.4e-6.
HWY_INLINE V thirdOfAngle(V x) {
    const Lanes d;
    const V half = hn::Set(d, 0.5f);
    const V t = hn::Sqrt(hn::MulAdd(hn::Min(hn::Max(x, hn::Set(d, -1.0f)), hn::Set(d, 1.0f)), half, half));
    V f = hn::Set(d, 0.0041208033f);
    f = hn::MulAdd(f, t, hn::Set(d, -0.0191218285f));
    f = hn::MulAdd(f, t, hn::Set(d, 0.047634507f));
    f = hn::MulAdd(f, t, hn::Set(d, -0.10988446f));
    f = hn::MulAdd(f, t, hn::Set(d, 0.577250405f));
    return hn::MulAdd(f, t, hn::Set(d, 0.500001373f));
}

/// The largest eigenvalue of S^T S, whose trace is 1, from the sum of its principal minors and det S.
HWY_INLINE V largestSquared(V minors, V det) {
    const Lanes d;
    const V squared = hn::Max(hn::NegMulAdd(hn::Set(d, 3.0f), minors, hn::Set(d, 1.0f)), hn::Set(d, 1e-12f));
    const V p = hn::Sqrt(squared);
    const V cubic =
        hn::MulAdd(hn::Mul(hn::Set(d, 13.5f), det), det, hn::NegMulAdd(hn::Set(d, 4.5f), minors, hn::Set(d, 1.0f)));
    const V f = thirdOfAngle(hn::Div(cubic, hn::Mul(squared, p)));
    return hn::MulAdd(hn::Mul(p, f), hn::Set(d, 2.0f / 3), hn::Set(d, 1.0f / 3));
}

/// One step towards orthogonal columns; `det` is the determinant before it.
HWY_INLINE Matrix newtonStep(const Matrix& r, V& det) {
    const Lanes d;
    const Matrix c = cofactor(r);
    det = dot(r.a, c.a);
    return mulAdd(c, hn::Div(hn::Set(d, 0.5f), det), mul(r, hn::Set(d, 0.5f)));
}

/// Lanes whose determinant differs from 1 by more than `tolerance`, or is not a number.
HWY_INLINE LaneMask farFromOne(V det, float tolerance) {
    const Lanes d;
    return hn::Not(hn::Le(hn::Abs(hn::Sub(det, hn::Set(d, 1.0f))), hn::Set(d, tolerance)));
}

/// The closed form: a rotation up to the error in s1, in parts that begin with divisions and roots. Several matrices
/// are solved part by part, so that the processor works on one while it waits for another.
class ClosedForm {
public:
    HWY_INLINE void begin(const Matrix& s) {
        x_ = s;
        squared_ = squaredNorm(s);
    }
    HWY_INLINE void normalize() {
        x_ = mul(x_, hn::Div(one(), hn::Sqrt(squared_)));
        cx_ = cofactor(x_);
        det_ = dot(x_.a, cx_.a);
        minors_ = squaredNorm(cx_);
    }
    HWY_INLINE void findLargest() { squared_ = largestSquared(minors_, det_); }
    HWY_INLINE void findSum() {
        const Lanes d;
        const V s1 = hn::Sqrt(squared_), inverse = hn::Div(one(), s1);
        x_ = mulAdd(cx_, inverse, x_);
        cx_ = cofactor(x_);
        const V ratio = hn::Mul(det_, inverse);
        a_ = hn::MulAdd(ratio, inverse, s1);
        const V rough = hn::Max(hn::MulAdd(hn::Set(d, 2.0f), ratio, hn::Sub(one(), squared_)), hn::Zero(d));
        squared_ = hn::Div(squaredNorm(cx_), hn::MulAdd(hn::Add(a_, a_), a_, rough));
    }
    /// (X + cof(X) / g) / (a + g) with one division
    HWY_INLINE Matrix rotation() const {
        const V g = hn::Sqrt(squared_), k = hn::Div(one(), hn::MulAdd(a_, g, hn::Mul(g, g)));
        return mulAdd(x_, hn::Mul(g, k), mul(cx_, k));
    }

private:
    static HWY_INLINE V one() { return hn::Set(Lanes(), 1.0f); }

    Matrix x_, cx_;  ///< S of unit norm, then X; its cofactor
    V det_, minors_, squared_, a_;
};

/// Lanes with almost no gap, for which single precision is not sufficient, one by one in double precision.
inline HWY_NOINLINE void solveLanes(const Matrix& s, LaneMask lanes, const float* fallback, Matrix& r) {
    const Lanes d;
    alignas(64) float in[9][kStep], out[9][kStep];
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, lanes, bits);
    const V* from[9] = {&s.a.x, &s.a.y, &s.a.z, &s.b.x, &s.b.y, &s.b.z, &s.c.x, &s.c.y, &s.c.z};
    V* to[9] = {&r.a.x, &r.a.y, &r.a.z, &r.b.x, &r.b.y, &r.b.z, &r.c.x, &r.c.y, &r.c.z};
    for (int i = 0; i < 9; ++i) {
        hn::Store(*from[i], d, in[i]);
        hn::Store(*to[i], d, out[i]);
    }
    Mat3d other, lane;
    for (int i = 0; i < 9; ++i) other(i % 3, i / 3) = fallback[i];
    for (std::size_t l = 0; l < kStep; ++l) {
        if (!(bits[l / 8] >> l % 8 & 1)) continue;
        for (int i = 0; i < 9; ++i) lane(i % 3, i / 3) = in[i][l];
        const Mat3d found = runtime::nearestRotation(lane, other).rotation;
        for (int i = 0; i < 9; ++i) out[i][l] = static_cast<float>(found(i % 3, i / 3));
    }
    for (int i = 0; i < 9; ++i) *to[i] = hn::Load(d, out[i]);
}

/// More steps for lanes that need them, by the determinant before the last one. The result of a lane does not depend on
/// the other lanes: rare steps are computed if any lane needs them, and used only by those that do.
HWY_INLINE void refine(const Matrix& s, const float* fallback, V det, Matrix& r) {
    const Lanes d;
    const LaneMask rough = farFromOne(det, 2e-6f);
    if (HWY_LIKELY(hn::AllFalse(d, rough))) return;
    r = select(rough, newtonStep(r, det), r);
    const LaneMask hard = hn::And(rough, farFromOne(det, 1e-3f));
    if (HWY_UNLIKELY(!hn::AllFalse(d, hard))) solveLanes(s, hard, fallback, r);
}

/// Replaces matrices S by the rotation nearest to them, per lane; by `fallback` (nine numbers by columns) if there is
/// none.
template <std::size_t kCount>
HWY_INLINE void takeNearestRotations(Matrix (&s)[kCount], const float* fallback) {
    ClosedForm form[kCount];
    for (std::size_t i = 0; i < kCount; ++i) form[i].begin(s[i]);
    for (ClosedForm& f : form) f.normalize();
    for (ClosedForm& f : form) f.findLargest();
    for (ClosedForm& f : form) f.findSum();
    Matrix r[kCount];
    V det[kCount];
    for (std::size_t i = 0; i < kCount; ++i) r[i] = form[i].rotation();
    for (std::size_t i = 0; i < kCount; ++i) r[i] = newtonStep(r[i], det[i]);
    for (std::size_t i = 0; i < kCount; ++i) {
        refine(s[i], fallback, det[i], r[i]);
        s[i] = r[i];
    }
}

HWY_INLINE Matrix nearestRotation(const Matrix& s, const float* fallback) {
    ClosedForm form;
    form.begin(s);
    form.normalize();
    form.findLargest();
    form.findSum();
    V det;
    Matrix r = newtonStep(form.rotation(), det);
    refine(s, fallback, det, r);
    return r;
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::simd
HWY_AFTER_NAMESPACE();

#endif
