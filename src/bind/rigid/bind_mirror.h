#pragma once

#include <pelt/rig/skeleton.h>

#include "bind_surface.h"

namespace pelt::bind {

/// The mirrored joint and welded vertex on the other side of a character, kNoTwin if there is none; joints and vertices
/// on the plane are their own twins. Both are empty if the skeleton is not symmetric.
struct BindMirror {
    static constexpr std::uint32_t kNoTwin = ~0u;
    std::vector<std::uint32_t> joints, vertices;

    bool found() const { return !joints.empty(); }
};

/// Searches for a plane perpendicular to x, y or z about which the tree of the skeleton is symmetric.
BindMirror findMirror(const Skeleton& skeleton, const BindSurface& surface);

/// Makes the joints of welded vertices the same on both sides. If they disagree, both get the joint higher up (the
/// lower index if neither is an ancestor of the other); on the plane, a vertex gets a joint of the plane if one above
/// `carries` skin. `parents` and `carries` have one entry per joint.
void makeSymmetric(const BindMirror& mirror, std::span<const std::int32_t> parents, const std::vector<bool>& carries,
                   std::vector<std::uint32_t>& joints);

}  // namespace pelt::bind
