// A walk in place: feet on the ground move backward with it, and inverse kinematics makes the legs reach them. Phase 0
// is the heel strike of a leg; the right leg is half a cycle behind the left.

#include <algorithm>
#include <cmath>

#include "biped_clips.h"
#include "biped_skeleton.h"

namespace pelt::scenes {
namespace {

constexpr double kCycle = 1.2;        // seconds
constexpr double kStride = 1.16;      // meters of ground per cycle
constexpr double kReach = 0.295;      // distance of the heel strike ahead of the rest position
constexpr double kToeOff = 0.62;      // phase
constexpr double kSwingLift = 0.045;  // meters
constexpr double kDrop = 0.027, kBounce = 0.016, kSway = 0.020;

Quatd about(const Vec3d& axis, double degrees) { return axisAngle(axis, degrees * kRadians); }
Quatd aboutX(double degrees) { return about({1, 0, 0}, degrees); }
Quatd aboutY(double degrees) { return about({0, 1, 0}, degrees); }
Quatd aboutZ(double degrees) { return about({0, 0, 1}, degrees); }
Vec3d turn(const Quatd& q, const Vec3d& v) { return toMatrix(q) * v; }

double smoothStep(double x) {
    x = std::clamp(x, 0.0, 1.0);
    return x * x * (3 - 2 * x);
}

/// A periodic curve through (phase, value) keys, with easing at each key.
double keyed(double phase, std::initializer_list<std::pair<double, double>> keys) {
    auto before = keys.begin();
    for (auto after = before + 1; after != keys.end(); before = after++) {
        if (phase <= after->first) {
            const double t = smoothStep((phase - before->first) / (after->first - before->first));
            return before->second + (after->second - before->second) * t;
        }
    }
    return before->second;
}

/// The shortest rotation from the direction of `a` to that of `b`.
Quatd between(const Vec3d& a, const Vec3d& b) {
    const Vec3d u = normalized(a), v = normalized(b), axis = cross(u, v);
    return normalized(Quatd{axis.x, axis.y, axis.z, 1 + dot(u, v)});
}

/// The distance of the foot ahead of its rest position.
double footAhead(double phase) {
    if (phase <= kToeOff) return kReach - kStride * phase;
    // Hermite curve that leaves and reaches the ground with the ground's speed.
    const double span = 1 - kToeOff, t = (phase - kToeOff) / span;
    const double from = kReach - kStride * kToeOff, slope = -kStride * span;
    const double t2 = t * t, t3 = t2 * t;
    return from * (2 * t3 - 3 * t2 + 1) + kReach * (3 * t2 - 2 * t3) + slope * (t3 - 2 * t2 + t) + slope * (t3 - t2);
}

struct FootTarget {
    Vec3d ankle;
    Quatd rotation;
    double toes;  // degrees, up
};

FootTarget footTarget(double phase, const char* side) {
    const std::vector<BipedJoint>& joints = bipedJoints();
    const Vec3d ankle = joints[bipedJoint(std::string("foot_") + side)].position;
    const Vec3d ball = joints[bipedJoint(std::string("toes_") + side)].position;
    const double pitch = keyed(phase, {{0.0, 18}, {0.10, 0}, {0.34, 0}, {kToeOff, -50}, {0.84, -4}, {1.0, 18}});
    const double swing = std::clamp((phase - kToeOff) / (1 - kToeOff), 0.0, 1.0);
    const double lift = kSwingLift * std::pow(std::sin(kPi * swing), 2);
    // Rolls over the heel while the toes are up, over the ball of the foot while they are down.
    const Vec3d pivot = pitch > 0 ? Vec3d(ankle.x, 0.004, -0.065) : ball;
    FootTarget target;
    target.rotation = aboutX(-pitch);
    target.ankle = pivot + turn(target.rotation, ankle - pivot) + Vec3d(0, lift, footAhead(phase));
    // Flat on the ground while they carry weight.
    target.toes = phase <= kToeOff ? std::max(-pitch, 0.0) : keyed(phase, {{kToeOff, 50}, {0.82, 6}, {1.0, 0}});
    return target;
}

/// Bends the knee until the leg has the right length, then swings the leg to the ankle.
void solveLeg(BipedPose& pose, const char* side, const FootTarget& target) {
    const auto joint = [&](const char* name) { return bipedJoint(std::string(name) + side); };
    const std::vector<BipedJoint>& joints = bipedJoints();
    const Vec3d root = joints[0].position, hip = joints[joint("thigh_")].position;
    const Vec3d thigh = joints[joint("shin_")].position - hip;
    const Vec3d shin = joints[joint("foot_")].position - joints[joint("shin_")].position;
    const Quatd pelvis = pose.rotations[0];
    const Vec3d way = target.ankle - (root + pose.offset + turn(pelvis, hip - root));

    double low = 0, high = 150;  // degrees; the leg shortens as the knee bends
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (low + high);
        (length(thigh + turn(aboutX(middle), shin)) > length(way) ? low : high) = middle;
    }
    const Quatd knee = aboutX(0.5 * (low + high));
    const Quatd leg = between(thigh + turn(knee, shin), way);
    pose.rotations[joint("thigh_")] = conjugate(pelvis) * leg;
    pose.rotations[joint("shin_")] = knee;
    pose.rotations[joint("foot_")] = conjugate(leg * knee) * target.rotation;
    pose.rotations[joint("toes_")] = aboutX(-target.toes);
}

void swingArm(BipedPose& pose, double phase, bool left) {
    const std::string side = left ? "_L" : "_R";
    const double sign = left ? 1 : -1, wave = std::cos(2 * kPi * phase), late = std::cos(2 * kPi * (phase - 0.06));
    // The arm swings with the opposite leg: it is back at the heel strike of the leg on its own side.
    const Vec3d elbow_axis = left ? leftArm().palm : Vec3d(leftArm().palm.x, -leftArm().palm.y, 0);
    pose.rotations[bipedJoint("clavicle" + side)] = aboutY(sign * 3 * wave) * aboutZ(-sign * 3);
    pose.rotations[bipedJoint("upper_arm" + side)] = aboutX(3 + 21 * wave) * aboutZ(-sign * 31);
    pose.rotations[bipedJoint("forearm" + side)] = about(elbow_axis, 20 - 11 * late);
    pose.rotations[bipedJoint("hand" + side)] = aboutZ(-sign * (6 + 3 * late));
    for (const char* finger : {"index", "middle", "ring", "pinky"}) {
        const double curl = 1 + 0.12 * (finger[0] == 'r' ? 1 : finger[0] == 'p' ? 2 : 0);
        pose.rotations[bipedJoint(std::string(finger) + "_1" + side)] = aboutZ(-sign * 14 * curl);
        pose.rotations[bipedJoint(std::string(finger) + "_2" + side)] = aboutZ(-sign * 20 * curl);
        pose.rotations[bipedJoint(std::string(finger) + "_3" + side)] = aboutZ(-sign * 12 * curl);
    }
    pose.rotations[bipedJoint("thumb_2" + side)] = aboutY(sign * 12);
}

void swayTrunk(BipedPose& pose, double phase) {
    const double turn_wave = std::cos(2 * kPi * phase), lean = std::sin(2 * kPi * (phase - 0.02));
    const double twice = std::cos(4 * kPi * (phase - 0.04));
    pose.offset = {kSway * lean, -kDrop - kBounce * twice, 0};
    const double yaw = -6 * turn_wave, list = 3.2 * lean;
    pose.rotations[0] = aboutY(yaw) * aboutZ(list) * aboutX(2);
    // The chest rotates against the hips and stays upright; neck and head compensate the rest.
    pose.rotations[bipedJoint("spine")] = aboutY(4 * turn_wave) * aboutZ(-0.55 * list) * aboutX(1 + 0.6 * twice);
    pose.rotations[bipedJoint("chest")] = aboutY(4 * turn_wave) * aboutZ(-0.45 * list) * aboutX(0.5 - 0.6 * twice);
    pose.rotations[bipedJoint("upper_chest")] = aboutY(3 * turn_wave) * aboutZ(-0.25 * list) * aboutX(-0.8);
    pose.rotations[bipedJoint("neck")] = aboutY(-2.5 * turn_wave) * aboutZ(0.15 * list) * aboutX(-1 - 0.5 * twice);
    pose.rotations[bipedJoint("head")] = aboutY(-2.5 * turn_wave) * aboutZ(0.1 * list) * aboutX(-1.2 + 0.8 * twice);
}

}  // namespace

BipedPose walkPose(double seconds) {
    const double left = std::fmod(seconds, kCycle) / kCycle, right = left < 0.5 ? left + 0.5 : left - 0.5;
    BipedPose pose = bipedRestPose();
    swayTrunk(pose, left);
    solveLeg(pose, "L", footTarget(left, "L"));
    solveLeg(pose, "R", footTarget(right, "R"));
    swingArm(pose, left, true);
    swingArm(pose, right, false);
    return pose;
}

}  // namespace pelt::scenes
