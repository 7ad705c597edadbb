#pragma once

#include <vector>

#include "biped_shape.h"
#include "implicit/implicit_mesh.h"

namespace pelt::scenes {

/// The joint of every vertex of a symmetric skin: that of the nearest solid, with islands assigned to the surrounding
/// joint, so that every joint moves one patch of skin. The two sides are mirror images.
std::vector<std::size_t> bindToShape(const BipedShape& shape, const ImplicitMesh& skin);

}  // namespace pelt::scenes
