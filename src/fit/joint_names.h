#pragma once

#include <string>

namespace pelt::fit {

enum class Marker { none, end, place };

/// What a leaf's name says: that it is where its parent's bone ends, or where things are held. It counts only where the
/// mesh says so too: see joint_roles.cpp.
Marker markerOf(const std::string& name);

}  // namespace pelt::fit
