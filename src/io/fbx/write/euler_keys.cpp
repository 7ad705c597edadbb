// Keys as FBX curves have them: one number each, and rotations as angles.
#include "euler_keys.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace pelt::io::fbx {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;
constexpr double kSplineStep = 1.0 / 60;  // seconds
constexpr double kSameTurn = 1e-5;        // radians
constexpr int kMostSplits = 6;

/// The keys' times; of a spline, also those between them.
std::vector<double> timesOf(const Channel& channel) {
    std::vector<double> times;
    for (std::size_t k = 0; k < channel.times.size(); ++k) {
        const double at = channel.times[k];
        if (k > 0 && channel.interpolation == Interpolation::cubic_spline) {
            const double before = times.back(), steps = std::min(std::ceil((at - before) / kSplineStep), 1e5);
            for (double i = 1; i < steps; ++i) times.push_back(before + (at - before) * i / steps);
        }
        times.push_back(at);
    }
    return times;
}

Vec3d nearest(Vec3d angles, const Vec3d& near) {
    for (int i = 0; i < 3; ++i) angles[i] += 360 * std::round((near[i] - angles[i]) / 360);
    return angles;
}

Quatd turnOf(const Vec3d& degrees) {
    const auto axis = [&](const Vec3d& unit, double angle) { return axisAngle(unit, angle / kDegrees); };
    return axis({0, 0, 1}, degrees.z) * axis({0, 1, 0}, degrees.y) * axis({1, 0, 0}, degrees.x);
}

Quatd rotationAt(const Channel& channel, double t) {
    std::array<double, 4> q{};
    rig::sampleChannel(channel, t, q);
    return {q[0], q[1], q[2], q[3]};
}

double angleBetween(const Quatd& a, const Quatd& b) {
    const Quatd d = conjugate(a) * b;
    return 2 * std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
}

void addKey(Keys& keys, double t, const Vec3d& angles) {
    keys.times.push_back(t);
    for (int i = 0; i < 3; ++i) keys.values[static_cast<std::size_t>(i)].push_back(angles[i]);
}

/// Adds the keys between two, and the second one; returns its angles.
Vec3d addBetween(const Channel& channel, Keys& keys, double t0, const Vec3d& a0, double t1, int halvings) {
    const double middle = (t0 + t1) / 2;
    const Vec3d a1 = eulerAngles(rotationAt(channel, t1), a0);
    const bool straight =
        angleBetween(turnOf((a0 + a1) * 0.5), rotationAt(channel, middle)) < kSameTurn &&
        angleBetween(turnOf(a0 * 0.75 + a1 * 0.25), rotationAt(channel, t0 + (t1 - t0) * 0.25)) < kSameTurn;
    if (channel.interpolation == Interpolation::step || halvings == 0 || straight) {
        addKey(keys, t1, a1);
        return a1;
    }
    const Vec3d between = addBetween(channel, keys, t0, a0, middle, halvings - 1);
    return addBetween(channel, keys, middle, between, t1, halvings - 1);
}

}  // namespace

Vec3d eulerAngles(const Quatd& rotation, const Vec3d& near) {
    const Mat3d r = toMatrix(normalized(rotation));
    const double flat = std::hypot(r(0, 0), r(1, 0));
    Vec3d angles;
    if (flat > 1e-9) {
        angles = {std::atan2(r(2, 1), r(2, 2)), std::atan2(-r(2, 0), flat), std::atan2(r(1, 0), r(0, 0))};
    } else {  // X and Z turn about one axis: keep Z
        const double z = near.z / kDegrees, sign = r(2, 0) > 0 ? -1 : 1;
        const double both = std::atan2(-r(1, 2), r(1, 1));  // x - sign z
        angles = {both + sign * z, sign * std::numbers::pi / 2, z};
    }
    const Vec3d first = nearest(angles * kDegrees, near);
    const Vec3d second =
        nearest({angles.x * kDegrees + 180, 180 - angles.y * kDegrees, angles.z * kDegrees + 180}, near);
    return length(second - near) < length(first - near) ? second : first;
}

Keys plainKeys(const Channel& channel) {
    Keys keys;
    keys.constant = channel.interpolation == Interpolation::step;
    keys.times = timesOf(channel);
    keys.values.resize(channel.width);
    std::vector<double> value(channel.width);
    for (const double t : keys.times) {
        rig::sampleChannel(channel, t, value);
        for (std::size_t i = 0; i < value.size(); ++i) keys.values[i].push_back(value[i]);
    }
    return keys;
}

Keys eulerKeys(const Channel& channel) {
    Keys keys;
    keys.constant = channel.interpolation == Interpolation::step;
    keys.values.resize(3);
    const std::vector<double> times = timesOf(channel);
    Vec3d angles;
    for (std::size_t k = 0; k < times.size(); ++k) {
        if (k == 0)
            addKey(keys, times[0], angles = eulerAngles(rotationAt(channel, times[0]), {}));
        else
            angles = addBetween(channel, keys, times[k - 1], angles, times[k], kMostSplits);
    }
    return keys;
}

}  // namespace pelt::io::fbx
