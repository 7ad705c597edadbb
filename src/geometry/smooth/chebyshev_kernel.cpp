// Polynomials of a sparse matrix by the recurrence T_{k+1} = 2 A T_k - T_{k-1}, for rows of several channels.
#include "simd/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "geometry/smooth/chebyshev_kernel.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>

#include "chebyshev_kernel.h"
#include "row_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::geometry {
namespace HWY_NAMESPACE {

/// One step over kWidth channels of rows that are `stride` numbers apart: previous becomes factor A current - previous,
/// and c times that is added to `sum`.
template <std::size_t kWidth>
HWY_INLINE void step(const SparseRows& a, double factor, double c, const double* current, double* previous, double* sum,
                     std::size_t stride) {
    const std::uint32_t* columns = a.columns.data();
    const double* values = a.values.data();
    for (std::size_t i = 0; i < a.size(); ++i) {
        Row<kWidth> next, other;
        next.load(current + i * stride);
        next.scale(a.diagonal[i]);
        for (std::uint32_t e = a.offsets[i]; e < a.offsets[i + 1]; ++e) {
            other.load(current + columns[e] * stride);
            next.add(values[e], other);
        }
        next.scale(factor);
        other.load(previous + i * stride);
        next.add(-1, other);
        next.store(previous + i * stride);
        other.load(sum + i * stride);
        other.add(c, next);
        other.store(sum + i * stride);
    }
}

void stepRows(const SparseRows& a, double factor, double c, const double* current, double* previous, double* sum,
              std::size_t width) {
    std::size_t begin = 0;
    for (; begin + 10 <= width; begin += 10)
        step<10>(a, factor, c, current + begin, previous + begin, sum + begin, width);
    for (; begin + 4 <= width; begin += 4) step<4>(a, factor, c, current + begin, previous + begin, sum + begin, width);
    for (; begin < width; ++begin) step<1>(a, factor, c, current + begin, previous + begin, sum + begin, width);
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::geometry
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::geometry {

HWY_EXPORT(stepRows);

void applyChebyshev(const SparseRows& a, const std::vector<double>& coefficients, std::vector<double>& x,
                    std::size_t width) {
    std::vector<double> sum = x, next(x.size(), 0.0);
    for (double& value : sum) value *= coefficients[0];
    // T_1 = A T_0, then T_{k+1} = 2 A T_k - T_{k-1}.
    for (std::size_t k = 1; k < coefficients.size(); ++k) {
        HWY_DYNAMIC_DISPATCH(stepRows)
        (a, k == 1 ? 1.0 : 2.0, coefficients[k], x.data(), next.data(), sum.data(), width);
        std::swap(x, next);
    }
    x = std::move(sum);
}

}  // namespace pelt::geometry
#endif
