// Virtual joints [LeLewis19] Eqs. 7 to 10, [Kalentchouk20]: rig::VirtualInput has the formula. Several joints at a
// time, so that their nearest rotations are computed together.
#include "virtual_joints.h"

#include <pelt/runtime/rotation.h>

#include <algorithm>
#include <array>

namespace pelt::runtime {
namespace {

constexpr std::size_t kJointsAtOnce = 32;
constexpr float kStretch = 1e-5f;  ///< of A^T A: less is rounding in the product of several single-precision matrices

/// out (+)= a b for 4x4 matrices by columns, the last row of a being 0, 0, 0, 1; the last row of `out` is not used.
template <bool kAdd>
inline void multiply(const float* a, const float* b, float* out) {
    for (int c = 0; c < 4; ++c)
        for (int r = 0; r < 4; ++r) {
            const float x =
                a[r] * b[4 * c] + a[4 + r] * b[4 * c + 1] + a[8 + r] * b[4 * c + 2] + a[12 + r] * b[4 * c + 3];
            out[4 * c + r] = kAdd ? out[4 * c + r] + x : x;
        }
}

inline bool isNearlyRigid(const float* x) {
    const auto product = [&](int a, int b) {
        return x[4 * a] * x[4 * b] + x[4 * a + 1] * x[4 * b + 1] + x[4 * a + 2] * x[4 * b + 2];
    };
    const float off = std::max({std::abs(product(0, 0) - 1), std::abs(product(1, 1) - 1), std::abs(product(2, 2) - 1),
                                std::abs(product(0, 1)), std::abs(product(1, 2)), std::abs(product(2, 0))});
    return off < kStretch;
}

/// The sums of one joint.
struct alignas(16) Sums {
    float total[16] = {};    ///< [S q]
    float stretch[12] = {};  ///< Σ ω (X − R), three columns of four
    Mat3f first;             ///< the rotation of the first input's frame
    bool stretches = false;
};

/// A frame that scales or shears: its rotation takes part in the sum, the rest in `stretch`.
void splitStretch(float* x, float weight, Sums& sums) {
    const Mat3d r = boneRotation({{{x[0], x[1], x[2]}, {x[4], x[5], x[6]}, {x[8], x[9], x[10]}}});
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < 3; ++i) {
            sums.stretch[4 * c + i] += weight * (x[4 * c + i] - float(r(i, c)));
            x[4 * c + i] = float(r(i, c));
        }
    sums.stretches = true;
}

void sumInputs(std::span<const VirtualInputRecord> inputs, std::span<const Affine3f> worlds, Sums& sums) {
    alignas(16) float x[16];
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        multiply<false>(worlds[inputs[i].node].m, inputs[i].place, x);
        if (!isNearlyRigid(x)) splitStretch(x, inputs[i].block[15], sums);
        if (i == 0) sums.first = {{{x[0], x[1], x[2]}, {x[4], x[5], x[6]}, {x[8], x[9], x[10]}}};
        multiply<true>(x, inputs[i].block, sums.total);
    }
}

}  // namespace

void driveVirtual(const SkeletonData& rig, std::span<Affine3f> worlds) noexcept {
    std::array<Sums, kJointsAtOnce> sums;
    std::array<Mat3f, kJointsAtOnce> turns;
    std::array<std::uint32_t, kJointsAtOnce> nodes;
    std::size_t count = 0;
    const auto finish = [&] {
        nearestRotations({turns.data(), count}, {}, {turns.data(), count});
        for (std::size_t k = 0; k < count; ++k) {
            Mat3f r = sums[k].first * turns[k];
            if (sums[k].stretches)
                for (int c = 0; c < 3; ++c)
                    for (int i = 0; i < 3; ++i) r(i, c) += sums[k].stretch[4 * c + i];
            worlds[nodes[k]] = {r, {sums[k].total[12], sums[k].total[13], sums[k].total[14]}};
        }
        count = 0;
    };
    for (std::size_t d = 0; d + 1 < rig.drivers.size(); ++d) {
        const DriverRecord &driver = rig.drivers[d], &next = rig.drivers[d + 1];
        if (driver.kind != DriverKind::ddm) continue;
        sums[count] = {};
        sumInputs(rig.virtual_inputs.subspan(driver.first_virtual, next.first_virtual - driver.first_virtual), worlds,
                  sums[count]);
        // Relative to the first input, whose rotation is the right one if S determines none.
        const float* s = sums[count].total;
        turns[count] =
            transposed(sums[count].first) * Mat3f{{{s[0], s[1], s[2]}, {s[4], s[5], s[6]}, {s[8], s[9], s[10]}}};
        nodes[count] = driver.node;
        if (++count == kJointsAtOnce) finish();
    }
    finish();
}

}  // namespace pelt::runtime
