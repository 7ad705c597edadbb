// The bones of a skeleton as segments, and those nearest to points.
#include <pelt/core/parallel.h>
#include <pelt/geometry/segments.h>

#include <algorithm>

namespace pelt::geometry {

std::vector<BoneSegment> boneSegments(std::span<const Vec3d> positions, std::span<const std::int32_t> parents) {
    std::vector<BoneSegment> segments;
    std::vector<bool> has_child(positions.size(), false);
    for (std::uint32_t j = 0; j < positions.size(); ++j) {
        if (parents[j] < 0) continue;
        const auto parent = static_cast<std::uint32_t>(parents[j]);
        segments.push_back({positions[parent], positions[j], parent});
        has_child[parent] = true;
    }
    for (std::uint32_t j = 0; j < positions.size(); ++j) {
        if (has_child[j]) continue;
        const Vec3d along = parents[j] < 0 ? Vec3d{} : positions[j] - positions[static_cast<std::size_t>(parents[j])];
        segments.push_back({positions[j], positions[j] + along, j});
    }
    std::stable_sort(segments.begin(), segments.end(),
                     [](const BoneSegment& a, const BoneSegment& b) { return a.joint < b.joint; });
    return segments;
}

double distanceTo(const BoneSegment& segment, const Vec3d& point) {
    const Vec3d along = segment.end - segment.start, to_point = point - segment.start;
    const double squared = dot(along, along);
    const double t = squared > 0 ? std::clamp(dot(to_point, along) / squared, 0.0, 1.0) : 0.0;
    return length(to_point - along * t);
}

std::vector<std::uint32_t> nearestSegments(std::span<const BoneSegment> segments, std::span<const Vec3f> points) {
    std::vector<std::uint32_t> nearest(points.size(), 0);
    parallelFor(points.size(), 1024, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) {
            const Vec3d point(points[v]);
            double best = distanceTo(segments[0], point);
            for (std::uint32_t s = 1; s < segments.size(); ++s) {
                const double distance = distanceTo(segments[s], point);
                if (distance < best) {
                    best = distance;
                    nearest[v] = s;
                }
            }
        }
    });
    return nearest;
}

}  // namespace pelt::geometry
