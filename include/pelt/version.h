#pragma once

#include <cstdint>

/// Semantic versions (semver.org): a higher first number breaks what older code or files rely on; while it is 0, the
/// second number does. CMake reads PELT_VERSION_* from here.
#define PELT_VERSION_MAJOR 0
#define PELT_VERSION_MINOR 2
#define PELT_VERSION_PATCH 0
#define PELT_VERSION "0.2.0"

namespace pelt {

/// Version of the glTF extension PELT_direct_delta_mush (docs/payload.md): the one that is written; older ones can be
/// read.
inline constexpr std::uint32_t kDdmPayloadVersion = 3;

/// Version of the glTF extension PELT_driven_joints (docs/driven_joints.md).
inline constexpr std::uint32_t kDrivenJointsVersion = 1;

/// Version of the bytes of packed rigs (pelt/runtime/rig.h). A reader accepts only its own version: pack again after an
/// update.
inline constexpr std::uint32_t kRigVersion = 3;

}  // namespace pelt
