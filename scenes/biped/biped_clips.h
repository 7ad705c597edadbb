#pragma once

#include <pelt/rig/clip.h>

#include <functional>
#include <string>
#include <vector>

namespace pelt::scenes {

/// Local rotations of all joints of the biped, relative to rest, and the displacement of the pelvis.
struct BipedPose {
    std::vector<Quatd> rotations;
    Vec3d offset;
};

BipedPose bipedRestPose();

/// One step of each leg in place, as on a treadmill; a loop of 1.2 seconds.
BipedPose walkPose(double seconds);

/// Moves every joint to its limits, from rest to rest in 199/30 seconds.
BipedPose rangeOfMotionPose(double seconds);

inline constexpr double kFps = 30;

/// Keys every 1/30 second for the joints that move.
Clip sampledClip(const std::string& name, int frames, const std::function<BipedPose(double)>& pose);

std::vector<Clip> bipedClips();

}  // namespace pelt::scenes
