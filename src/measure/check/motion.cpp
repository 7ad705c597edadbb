// What points do in all poses, with one row and with another.
#include <cmath>

#include "surface.h"

namespace pelt::measure {

Motion::Motion(const CheckSurface& surface, const SkinPoses& poses) : surface_(&surface) {
    for (std::size_t p = 0; p < poses.count(); ++p) {
        const SkinPose at = poses.pose(p);
        std::vector<Affine3f> bones;
        for (const auto& entry : surface.joints.entries) bones.push_back(at.bones[entry.first_slot]);
        bones_.push_back(std::move(bones));
        index_.push_back(p);
    }
}

void Motion::measure(std::span<const std::uint32_t> points, std::span<const Row> now, std::span<const Row> healthy,
                     Finding& finding) const {
    constexpr std::size_t kMost = 200;
    const std::size_t step = std::max<std::size_t>(1, points.size() / kMost);
    double most = 0;
    for (std::size_t pose = 0; pose < bones_.size(); ++pose) {
        double sum = 0;
        std::size_t measured = 0;
        for (std::size_t i = 0; i < points.size(); i += step) {
            if (now[i].empty() || healthy[i].empty()) continue;
            const Vec3f x = Vec3f(surface_->points[points[i]]);
            Vec3f d{0, 0, 0};
            for (const Share& share : now[i]) d += (bones_[pose][share.joint] * x) * share.weight;
            for (const Share& share : healthy[i]) d += (bones_[pose][share.joint] * x) * -share.weight;
            sum += double(dot(d, d));
            ++measured;
        }
        const double mean = measured > 0 ? std::sqrt(sum / double(measured)) : 0;
        if (mean > most) {
            most = mean;
            finding.pose = index_[pose];
        }
    }
    finding.moved = most / surface_->diagonal;
}

}  // namespace pelt::measure
