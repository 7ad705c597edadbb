// Forward and backward substitution with a sparse L D L^T for rows of several channels.
#include "simd/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "geometry/smooth/sweep_kernel.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "row_kernel-inl.h"
#include "sweep_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::geometry {
namespace HWY_NAMESPACE {
/// Channels of rows that are `stride` numbers apart, for a group of `kColumns` columns starting at k.
template <std::size_t kWidth, std::size_t kColumns>
struct Columns {
    const SweepFactor& factor;
    double* x;
    std::size_t stride, k;
    Row<kWidth> pivots[kColumns];

    /// The entry of column k + i at row k + j.
    double inner(std::size_t i, std::size_t j) const { return factor.values[factor.offsets[k + i] + int(j - i - 1)]; }

    HWY_INLINE void forward() {  // L y = x
        for (std::size_t i = 0; i < kColumns; ++i) {
            pivots[i].load(x + (k + i) * stride);
            for (std::size_t j = 0; j < i; ++j) pivots[i].add(-inner(j, i), pivots[j]);
            pivots[i].store(x + (k + i) * stride);
        }
        const int begin = factor.offsets[k + kColumns - 1], end = factor.offsets[k + kColumns];
        Row<kWidth> row;
        for (int e = 0; e < end - begin; ++e) {
            double* target = x + std::size_t(factor.rows[begin + e]) * stride;
            row.load(target);
            for (std::size_t i = 0; i < kColumns; ++i) row.add(-below(i)[e], pivots[i]);
            row.store(target);
        }
    }

    HWY_INLINE void backward() {  // L^T x = D^-1 y
        for (std::size_t i = 0; i < kColumns; ++i) {
            pivots[i].load(x + (k + i) * stride);
            pivots[i].scale(factor.inverse_diagonal[k + i]);
        }
        const int begin = factor.offsets[k + kColumns - 1], end = factor.offsets[k + kColumns];
        Row<kWidth> row;
        for (int e = 0; e < end - begin; ++e) {
            row.load(x + std::size_t(factor.rows[begin + e]) * stride);
            for (std::size_t i = 0; i < kColumns; ++i) pivots[i].add(-below(i)[e], row);
        }
        for (std::size_t i = kColumns; i-- > 0;) {
            for (std::size_t j = i + 1; j < kColumns; ++j) pivots[i].add(-inner(i, j), pivots[j]);
            pivots[i].store(x + (k + i) * stride);
        }
    }

    /// Values of column k + i at the rows that all columns of the group have.
    const double* below(std::size_t i) const { return factor.values + factor.offsets[k + i] + int(kColumns - 1 - i); }
};

template <std::size_t kWidth, class Visit>
HWY_INLINE void withColumns(std::size_t count, const SweepFactor& factor, double* x, std::size_t stride, std::size_t k,
                            Visit visit) {
    if (count == 4) return visit(Columns<kWidth, 4>{factor, x, stride, k, {}});
    if (count == 3) return visit(Columns<kWidth, 3>{factor, x, stride, k, {}});
    if (count == 2) return visit(Columns<kWidth, 2>{factor, x, stride, k, {}});
    visit(Columns<kWidth, 1>{factor, x, stride, k, {}});
}

/// The channels [begin, begin + kWidth) of rows that are `stride` numbers apart; all rows, or those that are listed.
template <std::size_t kWidth>
HWY_INLINE void sweepChannels(const SweepFactor& factor, const std::uint32_t* listed, std::size_t size, double* x,
                              std::size_t stride) {
    std::vector<std::uint8_t> blocks;  // if a column is listed, so are the columns of its rows
    for (std::size_t i = 0; i < size; i += blocks.back()) blocks.push_back(factor.together[listed ? listed[i] : i]);
    std::size_t i = 0;
    for (const std::uint8_t count : blocks) {
        withColumns<kWidth>(count, factor, x, stride, listed ? listed[i] : i, [](auto columns) { columns.forward(); });
        i += count;
    }
    for (auto count = blocks.rbegin(); count != blocks.rend(); ++count) {
        i -= *count;
        withColumns<kWidth>(*count, factor, x, stride, listed ? listed[i] : i,
                            [](auto columns) { columns.backward(); });
    }
}

void sweepRows(const SweepFactor& factor, const std::uint32_t* listed, std::size_t size, double* x, std::size_t width) {
    std::size_t begin = 0;
    for (; begin + 12 <= width; begin += 12) sweepChannels<12>(factor, listed, size, x + begin, width);
    for (; begin + 10 <= width; begin += 10) sweepChannels<10>(factor, listed, size, x + begin, width);
    for (; begin + 8 <= width; begin += 8) sweepChannels<8>(factor, listed, size, x + begin, width);
    for (; begin + 4 <= width; begin += 4) sweepChannels<4>(factor, listed, size, x + begin, width);
    for (; begin + 2 <= width; begin += 2) sweepChannels<2>(factor, listed, size, x + begin, width);
    for (; begin < width; ++begin) sweepChannels<1>(factor, listed, size, x + begin, width);
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::geometry
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::geometry {

HWY_EXPORT(sweepRows);

void SweepFactor::findTogether() {
    const auto length = [&](std::size_t k) { return offsets[k + 1] - offsets[k]; };
    const auto leads = [&](std::size_t k) {  // to the next column, and to the rows of that one
        return k + 1 < size() && length(k) == length(k + 1) + 1 && std::size_t(rows[offsets[k]]) == k + 1;
    };
    together.assign(size(), 1);
    for (std::size_t k = 0; k < size(); ++k)
        while (together[k] < kTogether && leads(k + together[k] - 1)) ++together[k];
}

void sweep(const SweepFactor& factor, double* x, std::size_t width) {
    if (factor.size() > 0) HWY_DYNAMIC_DISPATCH(sweepRows)(factor, nullptr, factor.size(), x, width);
}

void sweep(const SweepFactor& factor, std::span<const std::uint32_t> rows, double* x, std::size_t width) {
    if (!rows.empty()) HWY_DYNAMIC_DISPATCH(sweepRows)(factor, rows.data(), rows.size(), x, width);
}

}  // namespace pelt::geometry
#endif
