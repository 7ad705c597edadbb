#include "bone_view.h"

#include <pelt/core/parallel.h>

#include <algorithm>

namespace pelt::fit {

bool BoneView::within(int place, std::uint32_t part) const {
    const auto& around = parts[static_cast<std::size_t>(place)];
    return std::binary_search(around.begin(), around.end(), part);
}

double BoneView::shareIn(std::uint32_t part) const {
    int count = 0;
    for (int s = 0; s < kPlaces; ++s) count += within(s, part);
    return count / double{kPlaces};
}

std::vector<BoneView> viewBones(const BindSurface& surface, std::span<const geometry::BoneSegment> bones) {
    std::vector<BoneView> views(bones.size());
    parallelFor(bones.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b) {
            views[b].segment = bones[b];
            for (std::size_t s = 0; s < BoneView::kPlaces; ++s) {
                const double t = (static_cast<double>(s) + 0.5) / BoneView::kPlaces;
                auto around = geometry::enclosureOf(surface.tree, bones[b].start + (bones[b].end - bones[b].start) * t);
                views[b].windings[s] = around.winding;
                views[b].parts[s] = std::move(around.tags);
            }
        }
    });
    return views;
}

}  // namespace pelt::fit
