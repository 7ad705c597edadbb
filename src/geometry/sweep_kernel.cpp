// Forward and backward substitution with a sparse L D L^T for rows of several channels.
#include "../kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep_kernel.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "sweep_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::geometry {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// `kWidth` channels as as few registers as they fill: whole ones first, then halves down to single numbers.
template <std::size_t kWidth, std::size_t kBegin = 0>
struct Row {
    static constexpr std::size_t kLeft = kWidth - kBegin;
    using D = hn::CappedTag<double, kLeft >= 8 ? 8 : kLeft >= 4 ? 4 : kLeft >= 2 ? 2 : 1>;
    static constexpr std::size_t kLanes = hn::MaxLanes(D());
    using Rest = Row<kWidth, kBegin + kLanes>;

    hn::Vec<D> head;
    Rest rest;

    HWY_INLINE void load(const double* x) {
        head = hn::LoadU(D(), x + kBegin);
        rest.load(x);
    }
    HWY_INLINE void store(double* x) const {
        hn::StoreU(head, D(), x + kBegin);
        rest.store(x);
    }
    HWY_INLINE void scale(double factor) {
        head = hn::Mul(head, hn::Set(D(), factor));
        rest.scale(factor);
    }
    /// this -= factor * other
    HWY_INLINE void subtract(double factor, const Row& other) {
        head = hn::NegMulAdd(hn::Set(D(), factor), other.head, head);
        rest.subtract(factor, other.rest);
    }
};

template <std::size_t kWidth>
struct Row<kWidth, kWidth> {
    HWY_INLINE void load(const double*) {}
    HWY_INLINE void store(double*) const {}
    HWY_INLINE void scale(double) {}
    HWY_INLINE void subtract(double, const Row&) {}
};

/// The channels [begin, begin + kWidth) of rows that are `stride` numbers apart.
template <std::size_t kWidth>
HWY_INLINE void sweepChannels(const SweepFactor& factor, double* x, std::size_t stride) {
    const std::size_t size = factor.size();
    const int* offsets = factor.offsets;
    const int* rows = factor.rows;
    const double* values = factor.values;
    Row<kWidth> pivot, row;
    for (std::size_t k = 0; k < size; ++k) {  // L y = x
        pivot.load(x + k * stride);
        for (int e = offsets[k]; e < offsets[k + 1]; ++e) {
            double* target = x + std::size_t(rows[e]) * stride;
            row.load(target);
            row.subtract(values[e], pivot);
            row.store(target);
        }
    }
    for (std::size_t k = size; k-- > 0;) {  // L^T x = D^-1 y
        pivot.load(x + k * stride);
        pivot.scale(factor.inverse_diagonal[k]);
        for (int e = offsets[k]; e < offsets[k + 1]; ++e) {
            row.load(x + std::size_t(rows[e]) * stride);
            pivot.subtract(values[e], row);
        }
        pivot.store(x + k * stride);
    }
}

void sweepRows(const SweepFactor& factor, double* x, std::size_t width) {
    std::size_t begin = 0;
    for (; begin + 10 <= width; begin += 10) sweepChannels<10>(factor, x + begin, width);
    for (; begin + 4 <= width; begin += 4) sweepChannels<4>(factor, x + begin, width);
    for (; begin < width; ++begin) sweepChannels<1>(factor, x + begin, width);
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::geometry
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::geometry {

HWY_EXPORT(sweepRows);

void sweep(const SweepFactor& factor, double* x, std::size_t width) {
    HWY_DYNAMIC_DISPATCH(sweepRows)(factor, x, width);
}

}  // namespace pelt::geometry
#endif
