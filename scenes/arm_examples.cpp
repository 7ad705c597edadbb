// The moving arm as a map from rest positions to a pose. It does not use joints and weights, so that fitting a skin to
// it is a real problem.
//
//   1. the forearm twists with the wrist, more and more towards it, as radius and ulna cross;
//   2. muscles: the biceps shortens towards the shoulder and thickens with sin^2 of half the elbow's angle, the triceps
//      becomes thinner, the forearm's flexors swell slightly;
//   3. the elbow bends about its hinge. A point at the polar angle a from the hinge's vertical rotates by half the
//      elbow's angle plus h(a), where h increases from -1/2 to +1/2 of that angle, no faster than a itself. On the
//      inside of the elbow the flesh is therefore compressed without passing through itself; on the outside it is
//      stretched around a ball. Every point keeps its distance from the hinge, so nothing collapses.
#include <pelt/scenes/scenes.h>

#include <algorithm>

#include "arm.h"
#include "rigging.h"

namespace pelt::scenes {
namespace {

struct ArmPose {
    double elbow = 0, twist = 0;  ///< radians, about +z and +x
};

/// 1 at `middle`, decreasing smoothly to 0 at the distance `reach` on both sides.
double bump(double middle, double reach, double x) {
    const double t = std::clamp(std::abs(x - middle) / reach, 0.0, 1.0);
    return (1 - t * t) * (1 - t * t);
}

Vec3d twisted(const Vec3d& p, const ArmPose& pose) {
    const double share = smoothStep(kElbowX + 0.02, kWristX + 0.02, p.x);
    const double c = std::cos(pose.twist * share), s = std::sin(pose.twist * share);
    return {p.x, c * p.y - s * p.z, s * p.y + c * p.z};
}

Vec3d flexed(const Vec3d& p, const ArmPose& pose) {
    const double half = std::sin(pose.elbow / 2), contraction = half * half;
    const double above = smoothStep(-0.03, 0.045, p.y), below = smoothStep(0.02, -0.04, p.y);
    const double shift = 0.035 * contraction * above * bump(0.17, 0.13, p.x);
    const double belly = bump(0.148, 0.105, p.x), tendon = bump(0.255, 0.055, p.x), flexors = bump(0.37, 0.08, p.x);
    const double triceps = bump(0.17, 0.14, p.x);
    const double up =
        1 + contraction * ((0.74 * belly - 0.20 * tendon) * above - 0.17 * triceps * below + 0.05 * flexors);
    const double wide =
        1 + contraction * (0.12 * belly - 0.06 * tendon + 0.05 * flexors + 0.10 * bump(kElbowX, 0.06, p.x) * above);
    return {p.x - shift, p.y * up, p.z * wide};
}

/// The distribution of the rotation, -1 to 1, at x along the arm and y above the hinge.
double turnShare(double x, double y) {
    constexpr double kRounding = 0.030;  // minimum distance used below the hinge's height
    const double depth = kRounding + 0.5 * (y - kRounding + std::hypot(y - kRounding, 0.02));
    const double t = 0.80 * std::atan2(x, depth);
    const double near = t / std::pow(1 + std::pow(std::abs(t), 8), 0.125);
    const double away = smoothStep(0.03, 0.12, std::abs(x));
    return near + away * (std::copysign(1.0, x) - near);
}

Vec3d bent(const Vec3d& p, const ArmPose& pose) {
    const double x = p.x - kElbowX;
    const double angle = pose.elbow / 2 * (1 + turnShare(x, p.y));
    const double c = std::cos(angle), s = std::sin(angle);
    return {kElbowX + c * x - s * p.y, s * x + c * p.y, p.z};
}

Vec3d posed(const Vec3d& rest, const ArmPose& pose) { return bent(flexed(twisted(rest, pose), pose), pose); }

ArmPose poseAt(const Character& arm, double t) {
    const auto locals = rig::sampleLocals(arm.skeleton, &arm.clips.front(), t);
    const Quatd elbow = toQuat(locals[kElbow].linear()), wrist = toQuat(locals[kWrist].linear());
    return {2 * std::atan2(elbow.z, elbow.w), 2 * std::atan2(wrist.x, wrist.w)};
}

/// Computes a frame when it is read.
class ArmExamples : public MeshSequence {
public:
    ArmExamples(Character arm, double fps)
        : arm_(std::move(arm)), times_(rig::sampleTimes(arm_.clips.front(), fps)), seconds_(1 / fps) {}

    std::size_t frameCount() const override { return times_.size(); }
    std::size_t vertexCount() const override { return arm_.mesh.vertexCount(); }
    const Mesh* mesh() const override { return &arm_.mesh; }
    double frameSeconds() const override { return seconds_; }

    void readFrame(std::size_t frame, std::span<Vec3f> out) override {
        const ArmPose pose = poseAt(arm_, times_[frame]);
        for (std::size_t v = 0; v < out.size(); ++v) out[v] = Vec3f(posed(Vec3d(arm_.mesh.positions[v]), pose));
    }

private:
    Character arm_;
    std::vector<double> times_;
    double seconds_;
};

}  // namespace

std::unique_ptr<MeshSequence> armExamples(std::size_t resolution, double fps) {
    return std::make_unique<ArmExamples>(makeArm(resolution == 0 ? kArmResolution : resolution), fps);
}

}  // namespace pelt::scenes
