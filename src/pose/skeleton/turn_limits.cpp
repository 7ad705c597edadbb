// A rotation as twist about the bone and swing; the rotation vector of the swing gives the bends about two axes
// perpendicular to the bone.
#include "turn_limits.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pelt::pose {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

struct BentTurn {
    Vec3d axes[3];  ///< across, up, along
    Vec3d angles;   ///< about them
};

BentTurn split(const Mat3d& turn, const Vec3d& along) {
    const Vec3d helper = std::abs(along.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0};
    BentTurn out;
    out.axes[0] = normalized(cross(along, helper), Vec3d{1, 0, 0});
    out.axes[1] = cross(along, out.axes[0]);
    out.axes[2] = along;
    Quatd q = toQuat(turn);
    if (q.w < 0) q = {-q.x, -q.y, -q.z, -q.w};
    const double part = q.x * along.x + q.y * along.y + q.z * along.z;
    const Quatd twist = normalized(Quatd{along.x * part, along.y * part, along.z * part, q.w});
    const Quatd swing = q * conjugate(twist);
    const Vec3d axis(swing.x, swing.y, swing.z);
    const double sine = length(axis);
    const Vec3d bend = sine > 1e-12 ? axis * (2 * std::atan2(sine, swing.w) / sine) : Vec3d();
    out.angles = {dot(bend, out.axes[0]), dot(bend, out.axes[1]), 2 * std::atan2(part, q.w)};
    return out;
}

Vec3d cut(const Vec3d& angles, const rig::RangeOfMotion::Limits& limits) {
    const auto within = [](double angle, const double range[2]) {
        return std::clamp(angle, range[0] * kDegree, range[1] * kDegree);
    };
    return {within(angles.x, limits.bend), within(angles.y, limits.bend), within(angles.z, limits.twist)};
}

}  // namespace

Vec3d rotationVector(const Mat3d& rotation) {
    Quatd q = toQuat(rotation);
    if (q.w < 0) q = {-q.x, -q.y, -q.z, -q.w};
    const Vec3d axis(q.x, q.y, q.z);
    const double sine = length(axis);
    return sine > 1e-12 ? axis * (2 * std::atan2(sine, q.w) / sine) : axis * 2.0;
}

Mat3d rotationOf(const Vec3d& vector) {
    const double angle = length(vector);
    return angle > 1e-15 ? toMatrix(axisAngle(vector, angle)) : Mat3d();
}

Vec3d outsideLimits(const Mat3d& turn, const Vec3d& along, const rig::RangeOfMotion::Limits& limits) {
    const Vec3d angles = split(turn, along).angles;
    return angles - cut(angles, limits);
}

Mat3d withinLimits(const Mat3d& turn, const Vec3d& along, const rig::RangeOfMotion::Limits& limits) {
    const BentTurn bent = split(turn, along);
    const Vec3d angles = cut(bent.angles, limits);
    return rotationOf(bent.axes[0] * angles.x + bent.axes[1] * angles.y) * rotationOf(bent.axes[2] * angles.z);
}

}  // namespace pelt::pose
