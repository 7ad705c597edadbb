// Sums of Direct Delta Mush over the joints of a block, one vertex per lane; ddm_layout.h has the formulas. Highway
// compiles this once per instruction set, so the guard toggles.
#if defined(PELT_RUNTIME_DDM_SUMS_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PELT_RUNTIME_DDM_SUMS_KERNEL_INL_H_
#undef PELT_RUNTIME_DDM_SUMS_KERNEL_INL_H_
#else
#define PELT_RUNTIME_DDM_SUMS_KERNEL_INL_H_
#endif

#include "../internal/rotation-inl.h"
#include "block_kernel-inl.h"
#include "ddm/ddm_rig.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::runtime {
namespace HWY_NAMESPACE {

using DdmRow = LaneRow;

struct Symmetric {
    V xx, xy, xz, yy, yz, zz;
};

struct Quaternion {
    Xyz v;
    V w;
};

HWY_INLINE Xyz add(const Xyz& a, const Xyz& b) { return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)}; }
HWY_INLINE Xyz sub(const Xyz& a, const Xyz& b) { return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)}; }

HWY_INLINE V loadRow(const DdmRow& row, std::size_t lane) { return hn::Load(Lanes(), row.lane + lane); }

HWY_INLINE Xyz loadXyz(const DdmRow* rows, std::size_t lane) {
    return {loadRow(rows[0], lane), loadRow(rows[1], lane), loadRow(rows[2], lane)};
}

HWY_INLINE Symmetric loadSymmetric(const DdmRow* rows, std::size_t lane) {
    return {loadRow(rows[0], lane), loadRow(rows[1], lane), loadRow(rows[2], lane),
            loadRow(rows[3], lane), loadRow(rows[4], lane), loadRow(rows[5], lane)};
}

/// m v + sum
HWY_INLINE Xyz transformAdd(const Matrix& m, const Xyz& v, const Xyz& sum) {
    return mulAdd(m.a, v.x, mulAdd(m.b, v.y, mulAdd(m.c, v.z, sum)));
}

/// sum − m v
HWY_INLINE Xyz transformSub(const Matrix& m, const Xyz& v, const Xyz& sum) {
    const auto minus = [](const Xyz& a, V s, const Xyz& b) {
        return Xyz{hn::NegMulAdd(a.x, s, b.x), hn::NegMulAdd(a.y, s, b.y), hn::NegMulAdd(a.z, s, b.z)};
    };
    return minus(m.a, v.x, minus(m.b, v.y, minus(m.c, v.z, sum)));
}

/// m w
HWY_INLINE Matrix product(const Matrix& m, const Symmetric& w) {
    return {transform(m, {w.xx, w.xy, w.xz}), transform(m, {w.xy, w.yy, w.yz}), transform(m, {w.xz, w.yz, w.zz})};
}

/// m w + sum
HWY_INLINE Matrix productAdd(const Matrix& m, const Symmetric& w, const Matrix& sum) {
    return {transformAdd(m, {w.xx, w.xy, w.xz}, sum.a), transformAdd(m, {w.xy, w.yy, w.yz}, sum.b),
            transformAdd(m, {w.xz, w.yz, w.zz}, sum.c)};
}

/// The input of the lanes of a step: its block's rows and entries.
struct DdmStep {
    const DdmBase& base;
    const DdmDifference* differences;
    const std::uint32_t *entry, *end;
    const DdmRow* rows;  ///< of the block
    std::size_t lane;
    Xyz u, p;  ///< rest position and center, relative to the origin
};

/// S and q.
struct Procrustes {
    Matrix s;
    Xyz q;
};

/// Adds Σ_{j≠b} (A_j − A_b) W_j + (c_j − c_b) χ_j^T to S, and likewise to q. Enhanced DDM [Kalentchouk20] uses
/// rotations instead of A, and c_j = M_j u − R_j (u − p).
template <bool kEnhanced>
HWY_INLINE void addJoints(const DdmStep& s, Procrustes& sum) {
    const DdmRow* rows = s.rows + 12;
    const Xyz d = sub(s.u, s.p);
    for (const std::uint32_t* entry = s.entry; entry != s.end; ++entry, rows += 10) {
        const DdmDifference& joint = s.differences[*entry];
        const Matrix m = splatMatrix(kEnhanced ? joint.rotation : joint.a);
        Xyz e;
        if constexpr (kEnhanced)
            e = transformSub(m, d, transformAdd(splatMatrix(joint.a), s.u, splat(joint.t)));
        else
            e = transformAdd(m, s.p, splat(joint.t));
        const Symmetric w = loadSymmetric(rows, s.lane);
        const Xyz chi = loadXyz(rows + 6, s.lane);
        sum.s.a = transformAdd(m, {w.xx, w.xy, w.xz}, mulAdd(e, chi.x, sum.s.a));
        sum.s.b = transformAdd(m, {w.xy, w.yy, w.yz}, mulAdd(e, chi.y, sum.s.b));
        sum.s.c = transformAdd(m, {w.xz, w.yz, w.zz}, mulAdd(e, chi.z, sum.s.c));
        sum.q = transformAdd(m, chi, mulAdd(e, loadRow(rows[9], s.lane), sum.q));
    }
}

/// Eq. 7 rev.
template <bool kEnhanced>
HWY_INLINE Procrustes procrustes(const DdmStep& s) {
    const Matrix a = splatMatrix(kEnhanced ? s.base.rotation : s.base.a);
    Procrustes sum;
    if constexpr (kEnhanced)
        sum.q = transformSub(a, sub(s.u, s.p), transformAdd(splatMatrix(s.base.a), s.u, splat(s.base.t)));
    else
        sum.q = transformAdd(a, s.p, splat(s.base.t));
    sum.s = product(a, loadSymmetric(s.rows + 6, s.lane));
    addJoints<kEnhanced>(s, sum);
    return sum;
}

/// q with R' = S P^-1 in place of S (v1): A_b + Σ_{j≠b} (…) P^-1; P^-1 is stored in the rows of P.
HWY_INLINE Procrustes leastSquares(const DdmStep& s) {
    const V zero = hn::Zero(Lanes());
    const Xyz none{zero, zero, zero};
    const Matrix a = splatMatrix(s.base.a);
    Procrustes sum{{none, none, none}, transformAdd(a, s.p, splat(s.base.t))};
    addJoints<false>(s, sum);
    sum.s = productAdd(sum.s, loadSymmetric(s.rows + 6, s.lane), a);
    return sum;
}

/// Rows of one entry in v2 and v3: χ about the origin, ω, ψ; in v4: ω, ψ.
template <bool kCentered>
HWY_INLINE V addTranslation(const DdmDifference& joint, const DdmRow* rows, const DdmStep& s, Xyz& q) {
    const Matrix m = splatMatrix(joint.a);
    if constexpr (kCentered) {
        q = mulAdd(transformAdd(m, s.p, splat(joint.t)), loadRow(rows[0], s.lane), q);
        return loadRow(rows[1], s.lane);
    } else {
        q = transformAdd(m, loadXyz(rows, s.lane), mulAdd(splat(joint.t), loadRow(rows[3], s.lane), q));
        return loadRow(rows[4], s.lane);
    }
}

/// Σ ψ_j q_j, quaternions on the base's hemisphere, and q of v2 or v4.
template <bool kCentered>
HWY_INLINE Quaternion blendQuaternions(const DdmStep& s, Xyz& q) {
    const Lanes d;
    q = transformAdd(splatMatrix(s.base.a), s.p, splat(s.base.t));
    Quaternion sum{splat(s.base.quaternion), hn::Set(d, s.base.quaternion[3])};
    const DdmRow* rows = s.rows + 6;
    for (const std::uint32_t* entry = s.entry; entry != s.end; ++entry, rows += kCentered ? 2 : 5) {
        const DdmDifference& joint = s.differences[*entry];
        const V psi = addTranslation<kCentered>(joint, rows, s, q);
        sum.v = mulAdd(splat(joint.quaternion), psi, sum.v);
        sum.w = hn::MulAdd(hn::Set(d, joint.quaternion[3]), psi, sum.w);
    }
    return sum;
}

/// Σ ψ_j R_j, and q of v3.
HWY_INLINE Matrix blendRotations(const DdmStep& s, Xyz& q) {
    q = transformAdd(splatMatrix(s.base.a), s.p, splat(s.base.t));
    Matrix sum = splatMatrix(s.base.rotation);
    const DdmRow* rows = s.rows + 6;
    for (const std::uint32_t* entry = s.entry; entry != s.end; ++entry, rows += 5) {
        const DdmDifference& joint = s.differences[*entry];
        const V psi = addTranslation<false>(joint, rows, s, q);
        sum = mulAdd(splatMatrix(joint.rotation), psi, sum);
    }
    return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::runtime
HWY_AFTER_NAMESPACE();

#endif
