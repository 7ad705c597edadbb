#pragma once

#include <string>

namespace pelt::bind {

enum class Marker { none, end, place };

/// What the name of a leaf suggests: that it marks the end of its parent's bone, or an attachment point. It counts only
/// if the mesh agrees: see joint_roles.cpp.
Marker markerOf(const std::string& name);

}  // namespace pelt::bind
