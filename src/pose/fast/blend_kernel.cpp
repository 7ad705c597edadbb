// x' = Σ w_j T_j x with all weights of a rig, for one register of vertices at a time.
#include "simd/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pose/fast/blend_kernel.cpp"
#include <hwy/foreach_target.h>
//
#include "blend_layout.h"
#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::pose {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace dk = pelt::simd::HWY_NAMESPACE;
using dk::kStep;
using dk::Lanes;
using dk::V;
using dk::Xyz;

void blendHere(const BlendBlocks& blocks, std::size_t first, std::size_t last, const Affine3f* transforms, Vec3f* out) {
    const Lanes d;
    const dk::Triples triples;
    for (std::size_t block = first; block < last; ++block, out += BlendBlocks::kLanes)
        for (std::size_t lane = 0; lane < BlendBlocks::kLanes; lane += kStep) {
            const V zero = hn::Zero(d);
            Xyz x{zero, zero, zero}, y = x, z = x, t = x;
            for (std::uint32_t e = blocks.offsets[block]; e < blocks.offsets[block + 1]; ++e) {
                const V w = hn::Load(d, blocks.weights[e].value + lane);
                const float* m = transforms[blocks.columns[e]].m;
                dk::addScaled(m, w, x);
                dk::addScaled(m + 4, w, y);
                dk::addScaled(m + 8, w, z);
                dk::addScaled(m + 12, w, t);
            }
            const auto* rest = blocks.rest.data() + 3 * block;
            Xyz p = dk::mulAdd(x, hn::Load(d, rest[0].value + lane), t);
            p = dk::mulAdd(y, hn::Load(d, rest[1].value + lane), p);
            triples.store(dk::mulAdd(z, hn::Load(d, rest[2].value + lane), p), out + lane);
        }
}

}  // namespace HWY_NAMESPACE
}  // namespace pelt::pose
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::pose {

HWY_EXPORT(blendHere);

void blendRange(const BlendBlocks& blocks, std::size_t first, std::size_t last, const Affine3f* transforms,
                Vec3f* out) {
    HWY_DYNAMIC_DISPATCH(blendHere)(blocks, first, last, transforms, out);
}

}  // namespace pelt::pose
#endif
