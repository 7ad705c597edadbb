#pragma once

#include <pelt/rig/skeleton.h>

#include <array>

namespace pelt::bind {

/// The joints of a skeleton in rest space. Vectors have one entry per joint.
struct JointTree {
    std::vector<Vec3d> positions;
    std::vector<std::int32_t> parents;  ///< -1 for a root; never a cycle
    std::vector<std::vector<std::uint32_t>> children;
    std::vector<std::array<Vec3d, 6>> axes;  ///< x, -x, y, -y, z, -z of the joint in rest space, unit
    std::vector<std::string> names;

    std::size_t size() const { return positions.size(); }
};

/// Builds the tree. A skeleton without any hierarchy (every joint a root) gets chains from the joints' axes if most
/// joints have another straight ahead along the same axis. Joints closer than `tolerance` count as one place.
JointTree jointTree(const Skeleton& skeleton, double tolerance);

/// Removes the joints marked in `gone` from the lists of children.
void removeChildren(JointTree& tree, const std::vector<bool>& gone);

/// Many programs align one local axis with the bone. If at least four fifths of the joints with a single child agree on
/// it: per joint, the direction of its bone by that axis. Zero vectors if they do not, or if all joints have the same
/// orientation, so that axes give no information.
std::vector<Vec3d> boneDirections(const JointTree& tree, double tolerance);

}  // namespace pelt::bind
