// Forward and backward substitution with a sparse L D L^T for rows of several channels.
#include "../internal/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep_kernel.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "row_kernel-inl.h"
#include "sweep_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::geometry {
namespace HWY_NAMESPACE {
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
            row.add(-values[e], pivot);
            row.store(target);
        }
    }
    for (std::size_t k = size; k-- > 0;) {  // L^T x = D^-1 y
        pivot.load(x + k * stride);
        pivot.scale(factor.inverse_diagonal[k]);
        for (int e = offsets[k]; e < offsets[k + 1]; ++e) {
            row.load(x + std::size_t(rows[e]) * stride);
            pivot.add(-values[e], row);
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
    if (factor.size() > 0) HWY_DYNAMIC_DISPATCH(sweepRows)(factor, x, width);
}

}  // namespace pelt::geometry
#endif
