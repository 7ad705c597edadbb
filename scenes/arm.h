#pragma once

#include <pelt/core/progress.h>
#include <pelt/rig/character.h>

namespace pelt::scenes {

/// A muscular right arm of 0.8 m along +x, palm and biceps up (+y), thumb towards +z: one closed skin of about
/// `resolution` vertices (clamped between 1,000 and 1,000,000) on the joints shoulder, elbow and wrist. Its first clip,
/// "flex", bends the elbow about +z and twists the wrist about +x.
Character makeArm(std::size_t resolution, const Progress& progress = {});

inline constexpr std::uint32_t kShoulder = 0, kElbow = 1, kWrist = 2;
inline constexpr double kElbowX = 0.30, kWristX = 0.56;
inline constexpr std::size_t kArmResolution = 8000;  ///< the default

}  // namespace pelt::scenes
