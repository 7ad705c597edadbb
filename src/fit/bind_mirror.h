#pragma once

#include <pelt/rig/skeleton.h>

#include "bind_surface.h"

namespace pelt::fit {

/// Which joint and which welded vertex is on the other side of a character, kNoTwin where there is none; what lies in
/// the middle is its own twin. Both are empty where the skeleton is not the same on both sides of a plane.
struct BindMirror {
    static constexpr std::uint32_t kNoTwin = ~0u;
    std::vector<std::uint32_t> joints, vertices;

    bool found() const { return !joints.empty(); }
};

/// Looks for a plane across x, y or z of which the skeleton has the same tree on both sides.
BindMirror findMirror(const Skeleton& skeleton, const BindSurface& surface);

/// Makes one joint a welded vertex the same on both sides. Where they disagree, the joint higher up takes both (the
/// lower index where neither is above the other); in the middle it is one of the middle, where one is above that
/// `carries` skin. `parents` and `carries` have one entry a joint.
void makeSymmetric(const BindMirror& mirror, std::span<const std::int32_t> parents, const std::vector<bool>& carries,
                   std::vector<std::uint32_t>& joints);

}  // namespace pelt::fit
