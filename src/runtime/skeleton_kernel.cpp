// Products of matrices, four to sixteen numbers at a time, and the rotations of virtual joints, one joint per lane.
#include "simd/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/skeleton_kernel.cpp"
#include <hwy/foreach_target.h>
//
#include <limits>

#include "simd/rotation-inl.h"
#include "skeleton_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::runtime {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

/// A sum of products of 4x4 matrices by columns.
class Products {
public:
#if HWY_TARGET == HWY_SCALAR
    HWY_INLINE void add(const float* a, const float* b) {
        for (int c = 0; c < 4; ++c)
            for (int r = 0; r < 4; ++r)
                for (int k = 0; k < 4; ++k) sum_[4 * c + r] += a[4 * k + r] * b[4 * c + k];
    }
    HWY_INLINE void store(float* to) const {
        for (int i = 0; i < 16; ++i) to[i] = sum_[i];
    }

private:
    float sum_[16] = {};
#else
    Products() {
        for (V& part : sum_) part = hn::Zero(Lanes());
    }
    HWY_INLINE void add(const float* a, const float* b) {
        const Lanes d;
        for (std::size_t i = 0; i < kParts; ++i) {
            const V columns = hn::LoadU(d, b + i * kStep);
            V product = hn::Mul(hn::LoadDup128(d, a), hn::Broadcast<0>(columns));
            product = hn::MulAdd(hn::LoadDup128(d, a + 4), hn::Broadcast<1>(columns), product);
            product = hn::MulAdd(hn::LoadDup128(d, a + 8), hn::Broadcast<2>(columns), product);
            product = hn::MulAdd(hn::LoadDup128(d, a + 12), hn::Broadcast<3>(columns), product);
            sum_[i] = hn::Add(sum_[i], product);
        }
    }
    HWY_INLINE void store(float* to) const {
        for (std::size_t i = 0; i < kParts; ++i) hn::StoreU(sum_[i], Lanes(), to + i * kStep);
    }

private:
    static constexpr std::size_t kParts = 16 / kStep;  // of kStep / 4 columns each
    V sum_[kParts];
#endif
};

void bindAll(const JointRecord* joints, std::size_t count, const Affine3f* worlds, Affine3f* bones) {
    for (std::size_t j = 0; j < count; ++j) {
        Products bone;
        bone.add(worlds[joints[j].node].m, joints[j].inverse_bind);
        bone.store(bones[j].m);
    }
}

void sumInputs(const VirtualJointRecord* joints, const VirtualBlock* blocks, const std::uint32_t* sources,
               const float* motions, std::size_t count, Affine3f* sums) {
    for (std::size_t k = 0; k < count; ++k) {
        Products sum;
        for (std::size_t i = joints[k].first; i < joints[k + 1].first; ++i)
            sum.add(motions + 16 * std::size_t(sources[i]), blocks[i].m);
        sum.store(sums[k].m);
    }
}

void turnAll(Affine3f* sums, std::size_t count) {
    const Lanes d;
    constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
    const float none[9] = {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone};
    const hn::Rebind<std::int32_t, Lanes> whole;
    alignas(64) float rows[9][kStep];
    for (std::size_t first = 0; first < count; first += kStep) {
        const std::size_t lanes = HWY_MIN(kStep, count - first);
        // Lanes past the last joint repeat it. Gathered, because a wide load has to wait for narrow stores.
        const auto at = hn::ShiftLeft<4>(hn::Min(hn::Iota(whole, 0), hn::Set(whole, std::int32_t(lanes) - 1)));
        const auto load = [&](int i) {
            const float* numbers = sums[first].m + i;
            return Xyz{hn::GatherIndex(d, numbers, at), hn::GatherIndex(d, numbers + 1, at),
                       hn::GatherIndex(d, numbers + 2, at)};
        };
        const Matrix r = nearestRotation(Matrix{load(0), load(4), load(8)}, none);
        const V* columns[9] = {&r.a.x, &r.a.y, &r.a.z, &r.b.x, &r.b.y, &r.b.z, &r.c.x, &r.c.y, &r.c.z};
        for (int i = 0; i < 9; ++i) hn::Store(*columns[i], d, rows[i]);
        for (std::size_t l = 0; l < lanes; ++l)
            for (std::size_t i = 0; i < 9; ++i) sums[first + l].m[i / 3 * 4 + i % 3] = rows[i][l];
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::runtime
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::runtime {

HWY_EXPORT(bindAll);
HWY_EXPORT(sumInputs);
HWY_EXPORT(turnAll);

void moveFromBind(std::span<const JointRecord> joints, std::span<const Affine3f> worlds,
                  std::span<Affine3f> bones) noexcept {
    HWY_DYNAMIC_DISPATCH(bindAll)(joints.data(), joints.size(), worlds.data(), bones.data());
}

void sumVirtualInputs(const SkeletonData& rig, std::size_t first, const float* motions,
                      std::span<Affine3f> sums) noexcept {
    HWY_DYNAMIC_DISPATCH(sumInputs)
    (rig.virtual_joints.data() + first, rig.blocks.data(), rig.block_sources.data(), motions, sums.size(), sums.data());
}

void turnVirtualJoints(std::span<Affine3f> sums) noexcept { HWY_DYNAMIC_DISPATCH(turnAll)(sums.data(), sums.size()); }

}  // namespace pelt::runtime
#endif
