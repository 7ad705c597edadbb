// Measures the mesh along a bone: how thick it is there and how much of the bone lies inside.
#include "bone_view.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pelt::bind {

bool BoneView::within(int place, std::uint32_t part) const {
    const auto& around = parts[static_cast<std::size_t>(place)];
    return std::binary_search(around.begin(), around.end(), part);
}

double BoneView::shareIn(std::uint32_t part) const {
    int count = 0;
    for (int s = 0; s < kPlaces; ++s) count += within(s, part);
    return count / double{kPlaces};
}

namespace {

/// A sheet encloses nothing: a point of a bone outside the mesh belongs to the sheet beside it.
void bindToSheets(const BindSurface& surface, std::vector<BoneView>& views) {
    std::vector<bool> sheets(surface.parts.count, true);
    for (const BoneView& view : views)
        for (const auto& parts : view.parts)
            for (const std::uint32_t part : parts) sheets[part] = false;
    for (BoneView& view : views) {
        const Vec3d along = view.segment.end - view.segment.start;
        for (std::size_t s = 0; s < BoneView::kPlaces; ++s) {
            if (view.windings[s] > 0) continue;
            const Vec3d place = view.segment.start + along * ((static_cast<double>(s) + 0.5) / BoneView::kPlaces);
            const auto beside = surface.tree.nearest(place, kBeside * surface.diagonal, sheets);
            if (!beside) continue;
            const std::uint32_t part = surface.parts.part[surface.triangles[beside->triangle][0]];
            auto& parts = view.parts[s];
            parts.insert(std::lower_bound(parts.begin(), parts.end(), part), part);
        }
    }
}

/// Adds the distances from the point to the outside in eight directions perpendicular to `direction`. Where one part
/// lies inside another, as legs in a skirt, the outside is outside both.
void waysOut(const geometry::RayTree& tree, const Vec3d& place, const Vec3d& direction, int winding, double diagonal,
             std::vector<double>& found) {
    constexpr int kWays = 8;
    const Vec3d u = normalized(cross(direction, std::abs(direction.x) < 0.7 ? Vec3d(1, 0, 0) : Vec3d(0, 1, 0)));
    const Vec3d v = cross(direction, u);
    std::vector<geometry::Crossing> crossings;
    for (int k = 0; k < kWays; ++k) {
        const double angle = 2 * std::numbers::pi * k / kWays;
        tree.crossings(place, u * std::cos(angle) + v * std::sin(angle), diagonal, crossings);
        int around = winding;
        for (const geometry::Crossing& c : crossings) {
            around -= c.leaving;
            if (around > 0) continue;
            found.push_back(c.t);
            break;
        }
    }
}

double radiusOf(const BindSurface& surface, const BoneView& view) {
    const Vec3d along = view.segment.end - view.segment.start;
    std::vector<double> found;
    for (std::size_t s = 0; s < BoneView::kPlaces; ++s) {
        if (view.windings[s] <= 0) continue;
        const Vec3d place = view.segment.start + along * ((static_cast<double>(s) + 0.5) / BoneView::kPlaces);
        waysOut(surface.tree, place, normalized(along, {0, 1, 0}), view.windings[s], surface.diagonal, found);
    }
    if (found.empty()) return 0;
    const auto middle = found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2);
    std::nth_element(found.begin(), middle, found.end());
    return *middle;
}

}  // namespace

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
            views[b].radius = radiusOf(surface, views[b]);
        }
    });
    bindToSheets(surface, views);
    return views;
}

}  // namespace pelt::bind
