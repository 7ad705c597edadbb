#pragma once

#include <pelt/rig/skeleton.h>

namespace pelt::rig {

enum class Side { none, left, right };

/// The names that a name of one side may have on the other, the likeliest first: "hand_L" gives "hand_R", "LeftArm"
/// gives "RightArm", "spine" none. A side is a word (left, right) or a letter (l, r) of its own: between separators, or
/// where the case changes.
std::vector<std::string> namesOnOtherSide(std::string_view name);
/// The side that the name says.
Side sideOf(std::string_view name);

/// A plane perpendicular to an axis.
struct MirrorPlane {
    int axis = 0;
    double place = 0;

    double distance(const Vec3d& p) const { return p[axis] - place; }
    Vec3d across(Vec3d p) const {
        p[axis] = 2 * place - p[axis];
        return p;
    }
};

/// The joints of one side of a character and those of the other.
struct JointMirror {
    static constexpr std::uint32_t kNoTwin = ~0u;

    MirrorPlane plane;
    bool left_is_positive = true;      ///< the left side is where the coordinate is larger
    std::vector<std::uint32_t> twins;  ///< per joint slot: that of the other side, itself in the middle, or kNoTwin
    std::size_t pairs = 0;             ///< joints that have another one on the other side, divided by two
    std::size_t pairs_by_name = 0;

    /// The twin of the joint or, if it has none, of the nearest joint above it that has one; otherwise the joint
    /// itself.
    std::vector<std::uint32_t> nearestTwins(const Skeleton& skeleton) const;
};

/// Pairs joints by their names, the others by their positions, one per slot, in a space in which the character is
/// symmetric. Without a given axis, that about which the pairs are most symmetric. The plane is in the middle of the
/// pairs. `size` is that of the character. Throws Error (bad input) if neither names nor positions show an axis and
/// none was given.
JointMirror findJointMirror(const Skeleton& skeleton, std::span<const Vec3d> positions, std::optional<int> axis,
                            double size);

}  // namespace pelt::rig
