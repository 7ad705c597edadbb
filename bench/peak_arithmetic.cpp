// The largest number of multiply-adds per second that this machine reaches.
#include "peak_arithmetic.h"

#include "simd/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peak_arithmetic.cpp"
#include <hwy/foreach_target.h>
//
#include <benchmark/benchmark.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pelt::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Twelve independent sums, as in a kernel that blends matrices, to hide the latency.
float multiplyAdds(std::size_t count, float factor) {
    const hn::CappedTag<float, 16> d;
    const auto w = hn::Set(d, factor), x = hn::Set(d, 1e-9f);
    const auto start = [&](float n) { return hn::Set(d, n * factor); };  // different, so that none are merged
    auto a = start(1), b = start(2), c = start(3), e = start(4), f = start(5), g = start(6), h = start(7), i = start(8),
         j = start(9), k = start(10), l = start(11), m = start(12);
    for (std::size_t done = 0; done < count; done += 12 * hn::Lanes(d)) {
        a = hn::MulAdd(a, w, x), b = hn::MulAdd(b, w, x), c = hn::MulAdd(c, w, x), e = hn::MulAdd(e, w, x);
        f = hn::MulAdd(f, w, x), g = hn::MulAdd(g, w, x), h = hn::MulAdd(h, w, x), i = hn::MulAdd(i, w, x);
        j = hn::MulAdd(j, w, x), k = hn::MulAdd(k, w, x), l = hn::MulAdd(l, w, x), m = hn::MulAdd(m, w, x);
    }
    const auto sums = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(h, i)));
    return hn::GetLane(hn::Add(sums, hn::Add(hn::Add(j, k), hn::Add(l, m))));
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::bench {

HWY_EXPORT(multiplyAdds);

void multiplyAdds(std::size_t count) {
    float factor = 0.5f;
    benchmark::DoNotOptimize(factor);
    benchmark::DoNotOptimize(HWY_DYNAMIC_DISPATCH(multiplyAdds)(count, factor));
}

}  // namespace pelt::bench
#endif
