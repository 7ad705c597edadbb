#pragma once

#include <pelt/rig/skeleton.h>

#include <array>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

namespace pelt::scenes {

inline constexpr double kPi = std::numbers::pi, kRadians = kPi / 180;

/// A joint of the biped at rest: meters, y up, facing +z, soles on y = 0. `_L` joints have x > 0.
struct BipedJoint {
    std::string name;
    std::int32_t parent = -1;
    Vec3d position;
    Vec3d tail;  ///< the end of its bone: the next joint, or the tip
};

const std::vector<BipedJoint>& bipedJoints();

/// Throws Error (bad usage) if there is none of that name.
std::size_t bipedJoint(std::string_view name);

/// The joint on the other side; a middle joint is its own mirror image.
std::size_t mirroredJoint(std::size_t joint);

/// The left arm hangs in an A-pose: `along` points to the fingers, `side` to the thumb, `palm` out of the palm.
struct ArmFrame {
    Vec3d shoulder, along, side, palm;
    double elbow, wrist;  ///< distances from the shoulder
};

const ArmFrame& leftArm();

Skeleton bipedSkeleton();

}  // namespace pelt::scenes
