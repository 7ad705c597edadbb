// Evaluates the reduced skin of a solved pose.
#include <algorithm>
#include <cassert>

#include "rig_data.h"

namespace pelt::pose {

void evaluate(const PoseRig& rig, std::span<const Affine3f> transforms, std::size_t first, std::size_t count,
              std::span<Vec3f> out) noexcept {
    constexpr std::size_t kWidth = BlendBlocks::kLanes;
    const BlendBlocks& blocks = rig.data->blend;
    assert(transforms.size() >= rig.data->columns && first + count <= blocks.vertices && out.size() == blocks.vertices);
    const std::size_t last = first + count;
    const std::size_t whole_first = (first + kWidth - 1) / kWidth, whole_last = last / kWidth;
    if (whole_first < whole_last)
        blendRange(blocks, whole_first, whole_last, transforms.data(), out.data() + whole_first * kWidth);
    // Blocks that are only partly in the range are computed completely, in a copy.
    const auto cut = [&](std::size_t block) {
        Vec3f copy[kWidth];
        blendRange(blocks, block, block + 1, transforms.data(), copy);
        const std::size_t begin = std::max(first, block * kWidth), end = std::min(last, (block + 1) * kWidth);
        std::copy(copy + (begin - block * kWidth), copy + (end - block * kWidth), out.begin() + std::ptrdiff_t(begin));
    };
    if (count == 0) return;
    if (first % kWidth != 0) cut(first / kWidth);
    if (last % kWidth != 0 && (last / kWidth != first / kWidth || first % kWidth == 0)) cut(last / kWidth);
}

void evaluate(const PoseRig& rig, std::span<const Affine3d> transforms, std::span<Vec3d> out) {
    const PoseRig::Data& data = *rig.data;
    assert(transforms.size() >= data.columns && out.size() == data.weld.welded.size());
    for (std::size_t v = 0; v < out.size(); ++v) {
        const std::size_t row = data.weld.welded[v];
        const Vec3d rest = data.center + data.positions[row] * data.scale;
        out[v] = {};
        for (std::size_t e = data.rows.offsets[row]; e < data.rows.offsets[row + 1]; ++e)
            out[v] += (transforms[data.rows.columns[e]] * rest) * data.rows.values[e];
    }
}

}  // namespace pelt::pose
