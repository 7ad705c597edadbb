// The range of motion: a table of gestures, each moves a joint to one limit and then to the other.

#include <cmath>
#include <string>

#include "biped_clips.h"
#include "biped_skeleton.h"

namespace pelt::scenes {
namespace {

/// The axes of the left side and the middle; the right side mirrors them. At rest all joints have the axes of the
/// world: `bend` is the world's x (forward), `turn` its y (to the left), `tilt` its z (lifts the left side). The arm
/// has its own axes: `along` it, `flex` (bends the elbow and swings the arm forward) and `curl` (closes the fingers).
enum class Axis { bend, turn, tilt, along, flex, curl };
enum class Side { both, left, right };

struct Gesture {
    int first, last;  // frames
    const char* joint;
    Axis axis;
    double to, then;  // degrees; then = 0: one direction only
    Side side = Side::both;
};

constexpr Gesture kGestures[] = {
    // Head: nods, turns, tilts.
    {0, 18, "neck", Axis::bend, 28, -24},
    {0, 18, "head", Axis::bend, 20, -24},
    {14, 32, "neck", Axis::turn, 32, -32},
    {14, 32, "head", Axis::turn, 36, -36},
    {28, 44, "neck", Axis::tilt, 20, -20},
    {28, 44, "head", Axis::tilt, 16, -16},
    // Trunk: bows and arches, twists, leans.
    {38, 60, "pelvis", Axis::bend, 14, -8},
    {38, 60, "spine", Axis::bend, 24, -12},
    {38, 60, "chest", Axis::bend, 20, -12},
    {38, 60, "upper_chest", Axis::bend, 14, -10},
    {56, 74, "pelvis", Axis::turn, 10, -10},
    {56, 74, "spine", Axis::turn, 14, -14},
    {56, 74, "chest", Axis::turn, 14, -14},
    {56, 74, "upper_chest", Axis::turn, 12, -12},
    {70, 86, "pelvis", Axis::tilt, 6, -6},
    {70, 86, "spine", Axis::tilt, 14, -14},
    {70, 86, "chest", Axis::tilt, 12, -12},
    {70, 86, "upper_chest", Axis::tilt, 10, -10},
    // Shoulders: shrug, forwards and back; arms up and down, forwards and back, twisted.
    {4, 20, "clavicle", Axis::tilt, 18, -8},
    {18, 34, "clavicle", Axis::turn, -16, 14},
    {82, 106, "clavicle", Axis::tilt, 24, -4},
    {82, 106, "upper_arm", Axis::tilt, 105, -34},
    {102, 120, "upper_arm", Axis::flex, 78, -34},
    {116, 134, "upper_arm", Axis::along, 70, -60},
    // Elbow, wrist and fingers; the elbow once more with the arm raised in front.
    {24, 42, "forearm", Axis::flex, 142, 0},
    {130, 146, "forearm", Axis::along, 75, -75},
    {142, 158, "hand", Axis::curl, 70, -60},
    {154, 168, "hand", Axis::flex, 20, -28},
    {40, 54, "hand", Axis::along, 12, -12},
    {164, 188, "forearm", Axis::flex, 125, 0},
    {164, 188, "upper_arm", Axis::flex, 50, 0},
    // Legs: knee up on either side, heel to the seat, apart, twisted.
    {88, 110, "thigh", Axis::bend, -105, 0, Side::left},
    {88, 110, "shin", Axis::bend, 120, 0, Side::left},
    {106, 128, "thigh", Axis::bend, -105, 0, Side::right},
    {106, 128, "shin", Axis::bend, 120, 0, Side::right},
    {124, 142, "thigh", Axis::bend, 22, 0, Side::left},
    {124, 142, "shin", Axis::bend, 135, 0, Side::left},
    {136, 154, "thigh", Axis::bend, 22, 0, Side::right},
    {136, 154, "shin", Axis::bend, 135, 0, Side::right},
    {150, 166, "thigh", Axis::tilt, 38, -4},
    {162, 178, "thigh", Axis::turn, 38, -28},
    {174, 190, "shin", Axis::turn, 14, -14},
    // Feet: point and pull up, roll, toes; the ankles work with the raised knees too.
    {92, 108, "foot", Axis::bend, 40, -22, Side::left},
    {110, 126, "foot", Axis::bend, 40, -22, Side::right},
    {44, 60, "foot", Axis::tilt, 16, -16},
    {60, 76, "foot", Axis::turn, 14, -14},
    {172, 198, "thigh", Axis::bend, -62, 0},
    {172, 198, "shin", Axis::bend, 84, 0},
    {172, 198, "foot", Axis::bend, -22, 0},
    {4, 22, "toes", Axis::bend, -48, 24},
};

struct FingerLimits {
    const char* name;
    double flex[3], spread;
};

constexpr FingerLimits kFingerLimits[] = {{"index", {80, 98, 62}, 9},
                                          {"middle", {84, 100, 64}, 2},
                                          {"ring", {86, 100, 64}, -7},
                                          {"pinky", {88, 96, 64}, -14}};

Vec3d axisOf(Axis axis) {
    const ArmFrame& arm = leftArm();
    switch (axis) {
        case Axis::bend:
            return {1, 0, 0};
        case Axis::turn:
            return {0, 1, 0};
        case Axis::tilt:
            return {0, 0, 1};
        case Axis::along:
            return arm.along;
        case Axis::flex:
            return arm.palm;  // along × side
        case Axis::curl:
            return -arm.side;  // along × palm
    }
    return {};
}

double bump(double x) { return x > 0 && x < 1 ? std::pow(std::sin(kPi * x), 2) : 0; }

double angleAt(const Gesture& g, double frame) {
    const double x = (frame - g.first) / (g.last - g.first);
    if (g.then == 0) return g.to * bump(x);
    return g.to * bump(2 * x) + g.then * bump(2 * x - 1);
}

void rotate(BipedPose& pose, std::size_t joint, const Vec3d& axis, double degrees) {
    if (degrees == 0) return;
    pose.rotations[joint] = pose.rotations[joint] * axisAngle(axis, degrees * kPi / 180);
}

void apply(BipedPose& pose, const Gesture& g, double frame) {
    const double degrees = angleAt(g, frame);
    const Vec3d axis = axisOf(g.axis);
    const std::string name = g.joint;
    const bool middle =
        name == "pelvis" || name == "spine" || name.ends_with("chest") || name == "neck" || name == "head";
    if (middle) return rotate(pose, bipedJoint(name), axis, degrees);
    if (g.side != Side::right) rotate(pose, bipedJoint(name + "_L"), axis, degrees);
    // A rotation mirrored in x keeps the x component of its axis and negates the others.
    if (g.side != Side::left) rotate(pose, bipedJoint(name + "_R"), {axis.x, -axis.y, -axis.z}, degrees);
}

void applyFingers(BipedPose& pose, double frame) {
    for (const FingerLimits& f : kFingerLimits) {
        for (int i = 0; i < 3; ++i) {
            const std::string name = std::string(f.name) + "_" + std::to_string(i + 1);
            apply(pose, {46, 70, name.c_str(), Axis::curl, f.flex[i], 0}, frame);
            apply(pose, {166, 188, name.c_str(), Axis::curl, 0.9 * f.flex[i], 0}, frame);
        }
        const std::string knuckle = std::string(f.name) + "_1";
        apply(pose, {68, 84, knuckle.c_str(), Axis::flex, f.spread, 0}, frame);
        apply(pose, {68, 84, knuckle.c_str(), Axis::curl, -14, 0}, frame);
    }
    apply(pose, {46, 70, "thumb_1", Axis::curl, 22, 0}, frame);
    apply(pose, {46, 70, "thumb_1", Axis::along, 20, 0}, frame);
    apply(pose, {46, 70, "thumb_2", Axis::flex, -44, 0}, frame);
    apply(pose, {46, 70, "thumb_3", Axis::flex, -58, 0}, frame);
    apply(pose, {68, 84, "thumb_1", Axis::flex, 16, -16}, frame);
    apply(pose, {166, 188, "thumb_2", Axis::flex, -36, 0}, frame);
    apply(pose, {166, 188, "thumb_3", Axis::flex, -48, 0}, frame);
}

/// The displacement of a leg's ankle from rest while the pelvis does not move.
Vec3d ankleShift(const BipedPose& pose, const char* side) {
    const std::vector<BipedJoint>& joints = bipedJoints();
    Quatd turned = pose.rotations[0];
    Vec3d at = joints[0].position, before = at;
    for (const char* name : {"thigh_", "shin_", "foot_"}) {
        const std::size_t j = bipedJoint(std::string(name) + side);
        at += toMatrix(turned) * (joints[j].position - before);
        before = joints[j].position;
        turned = turned * pose.rotations[j];
    }
    return at - before;
}

/// Moves the body so that the lower foot stays in place; with two feet at the same height, their midpoint.
void stand(BipedPose& pose) {
    constexpr double kSoftness = 0.01;  // meters
    const Vec3d left = ankleShift(pose, "L"), right = ankleShift(pose, "R");
    const double share = 1 / (1 + std::exp((left.y - right.y) / kSoftness));
    pose.offset = -(left * share + right * (1 - share));
}

}  // namespace

BipedPose rangeOfMotionPose(double seconds) {
    BipedPose pose = bipedRestPose();
    const double frame = seconds * kFps;
    for (const Gesture& g : kGestures) apply(pose, g, frame);
    applyFingers(pose, frame);
    for (const char* thigh : {"thigh_L", "thigh_R"}) {  // the legs do not move when the pelvis rotates
        Quatd& q = pose.rotations[bipedJoint(thigh)];
        q = conjugate(pose.rotations[0]) * q;
    }
    stand(pose);
    return pose;
}

}  // namespace pelt::scenes
