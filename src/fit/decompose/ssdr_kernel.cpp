// The two products that read every number of a sequence: floats as stored, sums in double precision.
#include "simd/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fit/decompose/ssdr_kernel.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "ssdr_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::fit::ssdr {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kRows = 4;     ///< vertices of a tile
constexpr std::size_t kVectors = 4;  ///< registers of columns of a tile

/// kCount rows times the columns [0, kWide registers of D) of `m`.
template <std::size_t kCount, std::size_t kWide, class D>
HWY_INLINE void tile(D d, const float* v, std::size_t dimensions, const double* m, std::size_t columns, double* out) {
    const std::size_t lanes = hn::Lanes(d);
    hn::Vec<D> sum[kCount][kWide];
    for (std::size_t r = 0; r < kCount; ++r)
        for (std::size_t c = 0; c < kWide; ++c) sum[r][c] = hn::Zero(d);
    for (std::size_t k = 0; k < dimensions; ++k) {
        hn::Vec<D> row[kWide];
        for (std::size_t c = 0; c < kWide; ++c) row[c] = hn::LoadU(d, m + k * columns + c * lanes);
        for (std::size_t r = 0; r < kCount; ++r) {
            const auto value = hn::Set(d, double(v[r * dimensions + k]));
            for (std::size_t c = 0; c < kWide; ++c) sum[r][c] = hn::MulAdd(value, row[c], sum[r][c]);
        }
    }
    for (std::size_t r = 0; r < kCount; ++r)
        for (std::size_t c = 0; c < kWide; ++c) hn::StoreU(sum[r][c], d, out + r * columns + c * lanes);
}

template <std::size_t kCount>
HWY_INLINE void rows(const float* v, std::size_t dimensions, const double* m, std::size_t columns, double* out) {
    const hn::ScalableTag<double> d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t c = 0;
    for (; c + kVectors * lanes <= columns; c += kVectors * lanes)
        tile<kCount, kVectors>(d, v, dimensions, m + c, columns, out + c);
    for (; c + lanes <= columns; c += lanes) tile<kCount, 1>(d, v, dimensions, m + c, columns, out + c);
    for (; c < columns; ++c) tile<kCount, 1>(hn::CappedTag<double, 1>(), v, dimensions, m + c, columns, out + c);
}

void multiplyRowsHere(const float* v, std::size_t count, std::size_t dimensions, const double* m, std::size_t columns,
                      double* out) {
    std::size_t i = 0;
    for (; i + kRows <= count; i += kRows) rows<kRows>(v + i * dimensions, dimensions, m, columns, out + i * columns);
    for (; i < count; ++i) rows<1>(v + i * dimensions, dimensions, m, columns, out + i * columns);
}

void addOuterHere(const float* v, std::size_t dimensions, const double* factor, double* sum) {
    const hn::ScalableTag<double> d;
    const hn::Rebind<float, decltype(d)> half;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t k = 0;
    for (; k + lanes <= dimensions; k += lanes) {
        const auto value = hn::PromoteTo(d, hn::LoadU(half, v + k));
        for (std::size_t c = 0; c < 4; ++c) {
            double* at = sum + c * dimensions + k;
            hn::StoreU(hn::MulAdd(hn::Set(d, factor[c]), value, hn::LoadU(d, at)), d, at);
        }
    }
    for (; k < dimensions; ++k)
        for (std::size_t c = 0; c < 4; ++c) sum[c * dimensions + k] += factor[c] * double(v[k]);
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::fit::ssdr
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::fit::ssdr {

HWY_EXPORT(multiplyRowsHere);
HWY_EXPORT(addOuterHere);

void multiplyRows(const float* v, std::size_t count, std::size_t dimensions, const double* m, std::size_t columns,
                  double* out) {
    HWY_DYNAMIC_DISPATCH(multiplyRowsHere)(v, count, dimensions, m, columns, out);
}

void addOuter(const float* v, std::size_t dimensions, const double factor[4], double* sum) {
    HWY_DYNAMIC_DISPATCH(addOuterHere)(v, dimensions, factor, sum);
}

}  // namespace pelt::fit::ssdr
#endif
