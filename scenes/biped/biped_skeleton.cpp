// The joints of the biped.
#include "biped_skeleton.h"

#include <pelt/core/error.h>

#include <cmath>

namespace pelt::scenes {
namespace {

constexpr double kArmDrop = 45;  // degrees below the horizon

/// Multiples of 2^-20 m are added without rounding, so that inverse binds undo the rest pose exactly.
Vec3d snapped(const Vec3d& p) {
    constexpr double kUnit = 1 << 20;
    return {std::round(p.x * kUnit) / kUnit, std::round(p.y * kUnit) / kUnit, std::round(p.z * kUnit) / kUnit};
}

class Builder {
public:
    std::vector<BipedJoint> joints;

    std::size_t add(const std::string& name, std::int32_t parent, const Vec3d& position, const Vec3d& tail) {
        joints.push_back({name, parent, position, tail});
        return joints.size() - 1;
    }

    /// A chain on the left through `points`; the last point is the tip. Returns the last joint.
    std::size_t addChain(std::size_t parent, const std::vector<std::string>& names, const std::vector<Vec3d>& points) {
        for (std::size_t i = 0; i < names.size(); ++i)
            parent = add(names[i] + "_L", static_cast<std::int32_t>(parent), points[i], points[i + 1]);
        return parent;
    }

    /// Appends the mirror images of all left joints.
    void mirror() {
        const std::size_t count = joints.size();
        std::vector<std::int32_t> image(count);
        const auto flip = [](const Vec3d& p) { return Vec3d(-p.x, p.y, p.z); };
        for (std::size_t i = 0; i < count; ++i) {
            const BipedJoint j = joints[i];
            image[i] = static_cast<std::int32_t>(i);
            if (!j.name.ends_with("_L")) continue;
            image[i] = static_cast<std::int32_t>(joints.size());
            const std::string name = j.name.substr(0, j.name.size() - 1) + "R";
            add(name, image[static_cast<std::size_t>(j.parent)], flip(j.position), flip(j.tail));
        }
    }
};

struct Finger {
    const char* name;
    double along, side, palm;   // the knuckle in the hand's frame
    double spread, lift, curl;  // degrees: toward the thumb, out of the palm, increasing at each further joint
    double lengths[3];
};

constexpr Finger kFingerPlaces[] = {
    {"thumb", 0.020, 0.022, 0.010, 42, 24, -4, {0.044, 0.032, 0.024}},
    {"index", 0.090, 0.0330, 0.000, 9, 4, 7, {0.041, 0.025, 0.019}},
    {"middle", 0.094, 0.0115, -0.002, 2, 4, 7, {0.045, 0.028, 0.020}},
    {"ring", 0.090, -0.0105, -0.001, -6, 5, 7, {0.042, 0.026, 0.020}},
    {"pinky", 0.081, -0.0310, 0.002, -14, 6, 8, {0.033, 0.020, 0.018}},
};

void addFingers(Builder& builder, std::size_t hand, const Vec3d& wrist) {
    const ArmFrame& arm = leftArm();
    for (const Finger& f : kFingerPlaces) {
        Vec3d p = wrist + arm.along * f.along + arm.side * f.side + arm.palm * f.palm;
        std::vector<std::string> names;
        std::vector<Vec3d> points{p};
        for (int i = 0; i < 3; ++i) {
            const double bend = (f.lift + f.curl * i) * kRadians, spread = f.spread * kRadians;
            const Vec3d flat = arm.along * std::cos(spread) + arm.side * std::sin(spread);
            p += (flat * std::cos(bend) + arm.palm * std::sin(bend)) * f.lengths[i];
            names.push_back(std::string(f.name) + "_" + std::to_string(i + 1));
            points.push_back(p);
        }
        builder.addChain(hand, names, points);
    }
}

std::vector<BipedJoint> build() {
    Builder b;
    const Vec3d spine_points[] = {{0, 0.955, -0.005}, {0, 1.055, 0.000},  {0, 1.170, -0.005}, {0, 1.300, -0.020},
                                  {0, 1.465, -0.030}, {0, 1.560, -0.008}, {0, 1.752, -0.005}};
    const char* spine_names[] = {"pelvis", "spine", "chest", "upper_chest", "neck", "head"};
    for (int i = 0; i < 6; ++i) b.add(spine_names[i], i - 1, spine_points[i], spine_points[i + 1]);

    const ArmFrame& arm = leftArm();
    const Vec3d elbow = arm.shoulder + arm.along * arm.elbow, wrist = arm.shoulder + arm.along * arm.wrist;
    const std::size_t hand = b.addChain(3, {"clavicle", "upper_arm", "forearm", "hand"},
                                        {{0.025, 1.425, 0.015}, arm.shoulder, elbow, wrist, wrist + arm.along * 0.09});
    addFingers(b, hand, wrist);
    b.addChain(0, {"thigh", "shin", "foot", "toes"},
               {{0.092, 0.925, 0.000},
                {0.101, 0.495, 0.012},
                {0.106, 0.085, -0.022},
                {0.116, 0.022, 0.110},
                {0.121, 0.018, 0.185}});
    for (BipedJoint& j : b.joints) j.position = snapped(j.position), j.tail = snapped(j.tail);
    b.mirror();
    return b.joints;
}

}  // namespace

const ArmFrame& leftArm() {
    static const ArmFrame arm = [] {
        const double c = std::cos(kArmDrop * kRadians), s = std::sin(kArmDrop * kRadians);
        return ArmFrame{{0.180, 1.400, -0.018}, {c, -s, 0}, {0, 0, 1}, {-s, -c, 0}, 0.280, 0.530};
    }();
    return arm;
}

const std::vector<BipedJoint>& bipedJoints() {
    static const std::vector<BipedJoint> joints = build();
    return joints;
}

std::size_t bipedJoint(std::string_view name) {
    const std::vector<BipedJoint>& joints = bipedJoints();
    for (std::size_t i = 0; i < joints.size(); ++i) {
        if (joints[i].name == name) return i;
    }
    throw Error::badUsage("biped: no joint named '" + std::string(name) + "'");
}

std::size_t mirroredJoint(std::size_t joint) {
    std::string name = bipedJoints()[joint].name;
    if (name.ends_with("_L"))
        name.back() = 'R';
    else if (name.ends_with("_R"))
        name.back() = 'L';
    return bipedJoint(name);
}

Skeleton bipedSkeleton() {
    Skeleton skeleton;
    const std::vector<BipedJoint>& joints = bipedJoints();
    for (std::size_t i = 0; i < joints.size(); ++i) {
        SkeletonNode node;
        node.name = joints[i].name;
        node.parent = joints[i].parent;
        const Vec3d origin = node.parent < 0 ? Vec3d() : joints[static_cast<std::size_t>(node.parent)].position;
        node.local.translation = joints[i].position - origin;
        skeleton.nodes.push_back(node);
        Joint joint;
        joint.node = static_cast<std::uint32_t>(i);
        joint.inverse_bind = Affine3d(Mat3d(), -joints[i].position);
        skeleton.joints.push_back(joint);
    }
    return skeleton;
}

}  // namespace pelt::scenes
