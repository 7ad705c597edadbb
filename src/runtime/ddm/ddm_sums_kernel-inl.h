// Sums of Direct Delta Mush over the joints of a block, one vertex per lane; ddm_layout.h has the formulas. Highway
// compiles this once per instruction set, so the guard toggles.
#if defined(PELT_RUNTIME_DDM_SUMS_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PELT_RUNTIME_DDM_SUMS_KERNEL_INL_H_
#undef PELT_RUNTIME_DDM_SUMS_KERNEL_INL_H_
#else
#define PELT_RUNTIME_DDM_SUMS_KERNEL_INL_H_
#endif

#include "ddm_rig.h"
#include "runtime/block_kernel-inl.h"
#include "simd/rotation-inl.h"

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

/// One row of S, by columns, and of q.
struct ProcrustesRow {
    V a, b, c, q;
};

/// Row `row` of m v, plus a number.
HWY_INLINE V rowTimes(const float* m, int row, V x, V y, V z, V sum) {
    const Lanes d;
    return hn::MulAdd(hn::Set(d, m[row]), x,
                      hn::MulAdd(hn::Set(d, m[row + 3]), y, hn::MulAdd(hn::Set(d, m[row + 6]), z, sum)));
}

/// The same row of c_j, or of c_j − c_b.
template <bool kEnhanced, class Joint>
HWY_INLINE V rowOfCenter(const Joint& joint, int row, const DdmStep& s) {
    const Lanes lanes;
    const V t = hn::Set(lanes, joint.t[row]);
    if constexpr (!kEnhanced) {
        return rowTimes(joint.a, row, s.p.x, s.p.y, s.p.z, t);
    } else {
        const float* r = joint.rotation;
        const Xyz d = sub(s.u, s.p);
        const V moved = rowTimes(joint.a, row, s.u.x, s.u.y, s.u.z, t);
        return hn::NegMulAdd(
            hn::Set(lanes, r[row]), d.x,
            hn::NegMulAdd(hn::Set(lanes, r[row + 3]), d.y, hn::NegMulAdd(hn::Set(lanes, r[row + 6]), d.z, moved)));
    }
}

/// Adds the same row of m W.
HWY_INLINE void addMoments(const float* m, int row, const DdmRow* w, std::size_t lane, ProcrustesRow& sum) {
    const auto add = [&](int x, int y, int z, V& to) {
        to = rowTimes(m, row, loadRow(w[x], lane), loadRow(w[y], lane), loadRow(w[z], lane), to);
    };
    add(0, 1, 2, sum.a);
    add(1, 3, 4, sum.b);
    add(2, 4, 5, sum.c);
}

/// Eq. 7 rev. for several steps of a block, one row of S and q after the other: two steps of a row need sixteen
/// registers, all rows of one step many more. Where there are so few, it costs less to go through the joints three
/// times.
template <bool kEnhanced, std::size_t kCount>
HWY_INLINE void procrustesRow(const DdmStep (&steps)[kCount], int row, ProcrustesRow (&sums)[kCount]) {
    const auto matrix = [](const auto& joint) { return kEnhanced ? joint.rotation : joint.a; };
    const DdmStep& block = steps[0];
    const V zero = hn::Zero(Lanes());
    for (std::size_t i = 0; i < kCount; ++i) {
        sums[i] = {zero, zero, zero, rowOfCenter<kEnhanced>(block.base, row, steps[i])};
        addMoments(matrix(block.base), row, block.rows + 6, steps[i].lane, sums[i]);
    }
    const DdmRow* rows = block.rows + 12;
    for (const std::uint32_t* entry = block.entry; entry != block.end; ++entry, rows += 10) {
        const DdmDifference& joint = block.differences[*entry];
        for (std::size_t i = 0; i < kCount; ++i) {
            ProcrustesRow& sum = sums[i];
            const std::size_t lane = steps[i].lane;
            const V e = rowOfCenter<kEnhanced>(joint, row, steps[i]);
            const V x = loadRow(rows[6], lane), y = loadRow(rows[7], lane), z = loadRow(rows[8], lane);
            sum.a = hn::MulAdd(e, x, sum.a);
            sum.b = hn::MulAdd(e, y, sum.b);
            sum.c = hn::MulAdd(e, z, sum.c);
            sum.q = rowTimes(matrix(joint), row, x, y, z, hn::MulAdd(e, loadRow(rows[9], lane), sum.q));
            addMoments(matrix(joint), row, rows, lane, sum);
        }
    }
}

template <bool kEnhanced, std::size_t kCount>
HWY_INLINE void procrustesTogether(const DdmStep (&steps)[kCount], Matrix (&s)[kCount], Xyz (&q)[kCount]) {
    ProcrustesRow x[kCount], y[kCount], z[kCount];
    procrustesRow<kEnhanced>(steps, 0, x);
    procrustesRow<kEnhanced>(steps, 1, y);
    procrustesRow<kEnhanced>(steps, 2, z);
    for (std::size_t i = 0; i < kCount; ++i) {
        s[i] = {{x[i].a, y[i].a, z[i].a}, {x[i].b, y[i].b, z[i].b}, {x[i].c, y[i].c, z[i].c}};
        q[i] = {x[i].q, y[i].q, z[i].q};
    }
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
