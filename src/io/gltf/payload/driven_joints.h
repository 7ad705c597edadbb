#pragma once

#include <pelt/version.h>

#include "io/gltf/read/load.h"

/// The extension PELT_driven_joints; described in docs/driven_joints.md.
namespace pelt::io::gltf {

inline constexpr const char* kDrivenJoints = "PELT_driven_joints";

struct DrivenFault {
    std::size_t joint = 0;  ///< position in the list
    std::string what;
};

/// Finds errors in a list of driven joints: indices, numbers, counts, and joints that depend on themselves or on joints
/// later in the list.
std::optional<DrivenFault> findDrivenFault(const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven);

/// Reads Character::driven. A joint that uses nodes outside the skeleton, or a list of another version, is left out
/// with a warning; a malformed one fails.
void loadDrivenJoints(Loading& loading);

/// Writes `driven` to the document; an empty list removes the extension. `node_of`: skeleton node -> document node.
void writeDrivenJoints(Document& document, std::span<const rig::DrivenJoint> driven,
                       std::span<const std::size_t> node_of);

}  // namespace pelt::io::gltf
