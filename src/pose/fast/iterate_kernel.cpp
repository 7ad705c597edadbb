// The local and the global step of [Jacobson12] for one register of clusters at a time; iterate_reference.cpp has a
// direct transcription. A panel's part of G is used twice while it is in the cache: for S, then for the contribution of
// its rotations to y. The sums over clusters are kept per lane until the end.
#include "simd/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pose/fast/iterate_kernel.cpp"
#include <hwy/foreach_target.h>
//
#include <algorithm>
#include <utility>

#include "iterate.h"
#include "simd/rotation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::pose {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace dk = pelt::simd::HWY_NAMESPACE;
using dk::kStep;
using dk::Lanes;
using dk::Matrix;
using dk::V;
using dk::Xyz;

static_assert(kLanes % kStep == 0);

HWY_INLINE Xyz loadColumn(const float* column, std::size_t lane) {
    const Lanes d;
    return {hn::Load(d, column + lane), hn::Load(d, column + kLanes + lane), hn::Load(d, column + 2 * kLanes + lane)};
}

HWY_INLINE Matrix loadMatrix(const float* panel, std::size_t lane) {
    return {loadColumn(panel, lane), loadColumn(panel + kPanel, lane), loadColumn(panel + 2 * kPanel, lane)};
}

HWY_INLINE void storeColumn(const Xyz& v, float* column, std::size_t lane) {
    const Lanes d;
    hn::Store(v.x, d, column + lane);
    hn::Store(v.y, d, column + kLanes + lane);
    hn::Store(v.z, d, column + 2 * kLanes + lane);
}

HWY_INLINE void storeMatrix(const Matrix& m, float* panel, std::size_t lane) {
    storeColumn(m.a, panel, lane);
    storeColumn(m.b, panel + kPanel, lane);
    storeColumn(m.c, panel + 2 * kPanel, lane);
}

/// s + (columns of a panel) · thin
HWY_INLINE Matrix addColumns(const float* columns, std::size_t count, const float* thin, std::size_t lane, Matrix s) {
    const Lanes d;
    for (std::size_t c = 0; c < count; ++c, columns += kPanel, thin += 4) {
        const Xyz g = loadColumn(columns, lane);
        s.a = dk::mulAdd(g, hn::Set(d, thin[0]), s.a);
        s.b = dk::mulAdd(g, hn::Set(d, thin[1]), s.b);
        s.c = dk::mulAdd(g, hn::Set(d, thin[2]), s.c);
    }
    return s;
}

/// The contribution of the rotations of one register of clusters to y, lane by lane.
HWY_INLINE void addRotations(const float* columns, std::size_t count, const Matrix& r, std::size_t lane, float* sums) {
    const Lanes d;
    const auto add = [&](const Xyz& g, const Xyz& column, float* at) {
        V sum = hn::MulAdd(g.x, column.x, hn::Load(d, at));
        sum = hn::MulAdd(g.y, column.y, sum);
        hn::Store(hn::MulAdd(g.z, column.z, sum), d, at);
    };
    for (std::size_t c = 0; c < count; ++c, columns += kPanel, sums += 3 * kStep) {
        const Xyz g = loadColumn(columns, lane);
        add(g, r.a, sums);
        add(g, r.b, sums + kStep);
        add(g, r.c, sums + 2 * kStep);
    }
}

HWY_INLINE Matrix regularized(const Matrix& s, const Matrix& last) {
    const Lanes d;
    const V inertia =
        hn::MulAdd(hn::Set(d, float(kInertia)), hn::Sqrt(dk::squaredNorm(s)), hn::Set(d, float(kLeastInertia)));
    return dk::mulAdd(last, inertia, s);
}

/// planeRotation; both matrices are transposed.
HWY_INLINE Matrix rotationInPlane(const Matrix& s, const Matrix& last, const Xyz& n) {
    const Lanes d;
    const V axial = hn::MulAdd(n.x, hn::Sub(s.c.y, s.b.z),
                               hn::MulAdd(n.y, hn::Sub(s.a.z, s.c.x), hn::Mul(n.z, hn::Sub(s.b.x, s.a.y))));
    const V along = hn::MulAdd(n.x, dk::dot(s.a, n), hn::MulAdd(n.y, dk::dot(s.b, n), hn::Mul(n.z, dk::dot(s.c, n))));
    const V across = hn::Sub(hn::Add(hn::Add(s.a.x, s.b.y), s.c.z), along);
    const V size = hn::Sqrt(hn::MulAdd(axial, axial, hn::Mul(across, across)));
    const auto fine = hn::Gt(size, hn::Zero(d));
    const V one = hn::Set(d, 1.0f);
    const V cosine = hn::Div(across, size), sine = hn::Div(axial, size), rest = hn::Sub(one, cosine);
    const auto diagonal = [&](V m) { return hn::MulAdd(rest, hn::Mul(m, m), cosine); };
    const auto pair = [&](V m, V other, V third) {  // below and above the diagonal
        const V both = hn::Mul(rest, hn::Mul(m, other)), turn = hn::Mul(sine, third);
        return std::pair(hn::Sub(both, turn), hn::Add(both, turn));
    };
    const auto [yx, xy] = pair(n.x, n.y, n.z);
    const auto [zy, yz] = pair(n.y, n.z, n.x);
    const auto [xz, zx] = pair(n.z, n.x, n.y);
    const Matrix r{{diagonal(n.x), yx, zx}, {xy, diagonal(n.y), zy}, {xz, yz, diagonal(n.z)}};
    const auto kept = [&](const Xyz& now, const Xyz& before) {
        return Xyz{hn::IfThenElse(fine, now.x, before.x), hn::IfThenElse(fine, now.y, before.y),
                   hn::IfThenElse(fine, now.z, before.z)};
    };
    return {kept(r.a, last.a), kept(r.b, last.b), kept(r.c, last.c)};
}

HWY_INLINE Matrix localStep(const Matrix& s, const Matrix& last, const float* normal) {
    const Lanes d;
    static constexpr float kIdentity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const Matrix regular = regularized(s, last);
    if (!normal) return dk::nearestRotation(regular, kIdentity);
    return rotationInPlane(regular, last, {hn::Set(d, normal[0]), hn::Set(d, normal[1]), hn::Set(d, normal[2])});
}

StepResult iterateHere(const Iteration<float>& it) {
    const Lanes d;
    std::fill_n(it.sums, it.unknowns * 3 * kStep, 0.0f);
    V agreement = hn::Zero(d);
    for (std::size_t p = 0; p < it.panels; ++p) {
        const float* columns = it.covariance + p * it.unknowns * kPanel;
        for (std::size_t lane = 0; lane < kLanes; lane += kStep) {
            const Matrix fixed = loadMatrix(it.fixed + p * 3 * kPanel, lane);
            const Matrix s = addColumns(columns, it.unknowns, it.y, lane, fixed);
            float* rotations = it.rotations + p * 3 * kPanel;
            const Matrix r = localStep(s, loadMatrix(rotations, lane), it.normal);
            storeMatrix(r, rotations, lane);
            const Matrix still = loadMatrix(it.fixed + p * 3 * kPanel, lane);
            const V ab = hn::Add(dk::dot(r.a, still.a), dk::dot(r.b, still.b));
            agreement = hn::Add(agreement, hn::Add(ab, dk::dot(r.c, still.c)));
            addRotations(columns, it.unknowns, r, lane, it.sums);
        }
    }
    StepResult result;
    result.agreement = double(hn::GetLane(hn::SumOfLanes(d, agreement)));
    for (std::size_t c = 0; c < it.unknowns; ++c)
        for (std::size_t b = 0; b < 3; ++b) {
            const float y = hn::GetLane(hn::SumOfLanes(d, hn::Load(d, it.sums + (3 * c + b) * kStep)));
            const double change = double(y) - double(it.y[4 * c + b]);
            it.y[4 * c + b] = y;
            result.squared += double(y) * double(y);
            result.change += change * change;
        }
    return result;
}

void addProductHere(const Panels<float>& m, const float* thin, float* out) {
    for (std::size_t p = 0; p < m.panels; ++p)
        for (std::size_t lane = 0; lane < kLanes; lane += kStep) {
            float* panel = out + p * 3 * kPanel;
            storeMatrix(addColumns(m.panel(p), m.columns, thin, lane, loadMatrix(panel, lane)), panel, lane);
        }
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::pose
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::pose {

HWY_EXPORT(iterateHere);
HWY_EXPORT(addProductHere);

StepResult iterateKernel(const Iteration<float>& it) noexcept { return HWY_DYNAMIC_DISPATCH(iterateHere)(it); }

void addProductKernel(const Panels<float>& m, const float* thin, float* out) noexcept {
    HWY_DYNAMIC_DISPATCH(addProductHere)(m, thin, out);
}

}  // namespace pelt::pose
#endif
