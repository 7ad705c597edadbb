// Casts rays along bones to see how much of a line lies inside the mesh.
#include "mesh_probe.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pelt::bind {

double shareInside(const geometry::RayTree& tree, const Vec3d& from, const Vec3d& to) {
    constexpr int kSamples = 8;
    int within = 0;
    for (int s = 0; s < kSamples; ++s)
        within += geometry::enclosureOf(tree, from + (to - from) * ((s + 0.5) / kSamples)).winding > 0;
    return within / double{kSamples};
}

double lengthInside(const geometry::RayTree& tree, const Vec3d& start, const Vec3d& direction, double step,
                    double limit, const std::vector<bool>& sheets, double beside) {
    double reached = 0;
    int misses = 0;  // one sample outside may be a gap between two parts
    for (int i = 1; i * step <= limit && misses < 2; ++i) {
        const Vec3d point = start + direction * (i * step);
        if (geometry::enclosureOf(tree, point).winding > 0 || (beside > 0 && tree.nearest(point, beside, sheets))) {
            reached = i * step;
            misses = 0;
        } else {
            ++misses;
        }
    }
    return reached;
}

double radiusAround(const geometry::RayTree& tree, const Vec3d& point, const Vec3d& direction, double diagonal) {
    constexpr std::size_t kWays = 8;
    const Vec3d u = normalized(cross(direction, std::abs(direction.x) < 0.7 ? Vec3d(1, 0, 0) : Vec3d(0, 1, 0)));
    const Vec3d v = cross(direction, u);
    std::vector<double> found;
    std::vector<geometry::Crossing> crossings;
    for (std::size_t k = 0; k < kWays; ++k) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(k) / kWays;
        tree.crossings(point, u * std::cos(angle) + v * std::sin(angle), diagonal, crossings);
        const auto out = std::find_if(crossings.begin(), crossings.end(), [](const auto& c) { return c.leaving > 0; });
        if (out != crossings.end()) found.push_back(out->t);
    }
    if (2 * found.size() <= kWays) return 0;
    std::sort(found.begin(), found.end());
    return found[kWays / 2];
}

}  // namespace pelt::bind
