#pragma once

#include <pelt/core/progress.h>

#include "bind/skeleton/bone_view.h"
#include "bind_surface.h"
#include "pieces.h"

namespace pelt::bind {

/// Per welded vertex, the joint of the bone with the least cost; if two costs are equal, their common ancestor, so that
/// the middle of a symmetric character is assigned to neither side. `bones` is not empty; `parents` has one entry per
/// joint, -1 for a root.
std::vector<std::uint32_t> chooseBones(const BindSurface& surface, std::span<const BoneView> bones,
                                       std::span<const Piece> pieces, std::span<const std::int32_t> parents,
                                       const Progress& progress);

/// The fraction of the line from a point of a bone to a vertex that is outside the mesh. `winding` is that of the
/// point.
double shareOutside(const geometry::RayTree& tree, const Vec3d& from, const Vec3d& line, int winding,
                    std::vector<geometry::Crossing>& crossings);

/// The cost of skin that does not face away from the bone. Beside the bone, the normal counts less along it: a limb
/// that becomes thicker does not belong more to the previous or next bone.
double facingPrice(const Vec3d& normal, const Vec3d& line, const Vec3d& bone, bool beside);

}  // namespace pelt::bind
