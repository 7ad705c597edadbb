// Nearest rotations of a list of matrices, by the same code as in the deformers.
#include "simd/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/rotation_kernel.cpp"
#include <hwy/foreach_target.h>
//
#include <cassert>

#include "simd/rotation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::runtime {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

void rotateAll(const Mat3f* s, const float* fallback, std::size_t count, Mat3f* rotations) {
    const Lanes d;
    alignas(64) float rows[9][kStep] = {};
    for (std::size_t first = 0; first < count; first += kStep) {
        const std::size_t lanes = std::min(kStep, count - first);
        for (std::size_t l = 0; l < lanes; ++l)
            for (int i = 0; i < 9; ++i) rows[i][l] = s[first + l](i % 3, i / 3);
        const auto load = [&](int i) {
            return Xyz{hn::Load(d, rows[i]), hn::Load(d, rows[i + 1]), hn::Load(d, rows[i + 2])};
        };
        const Matrix r = nearestRotation(Matrix{load(0), load(3), load(6)}, fallback);
        const V* columns[9] = {&r.a.x, &r.a.y, &r.a.z, &r.b.x, &r.b.y, &r.b.z, &r.c.x, &r.c.y, &r.c.z};
        for (int i = 0; i < 9; ++i) hn::Store(*columns[i], d, rows[i]);
        for (std::size_t l = 0; l < lanes; ++l)
            for (int i = 0; i < 9; ++i) rotations[first + l](i % 3, i / 3) = rows[i][l];
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::runtime
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::runtime {

HWY_EXPORT(rotateAll);

void nearestRotations(std::span<const Mat3f> s, const Mat3f& fallback, std::span<Mat3f> rotations) noexcept {
    assert(s.size() == rotations.size());
    HWY_DYNAMIC_DISPATCH(rotateAll)(s.data(), &fallback.col[0].x, s.size(), rotations.data());
}

}  // namespace pelt::runtime
#endif
