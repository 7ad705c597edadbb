#pragma once

#include <pelt/rig/skeleton.h>

#include <array>

namespace pelt::fit {

/// The joints of a skeleton in rest space. Vectors have one entry a joint.
struct JointTree {
    std::vector<Vec3d> positions;
    std::vector<std::int32_t> parents;  ///< -1 for a root; never a cycle
    std::vector<std::vector<std::uint32_t>> children;
    std::vector<std::array<Vec3d, 6>> axes;  ///< x, -x, y, -y, z, -z of the joint in rest space, unit
    std::vector<std::string> names;

    std::size_t size() const { return positions.size(); }
};

/// Reads the tree. A skeleton without any hierarchy (every joint a root) gets chains from its joints' axes where most
/// joints have another right ahead along one and the same axis. Joints nearer than `tolerance` count as one place.
JointTree jointTree(const Skeleton& skeleton, double tolerance);

/// Takes the joints marked in `gone` out of the lists of children.
void removeChildren(JointTree& tree, const std::vector<bool>& gone);

/// Many programs lay one local axis along the bone. Where at least four in five of the joints with a single child agree
/// on it: per joint, where its bone points by that axis. Zero vectors where they do not, or where all joints are turned
/// alike, so that axes say nothing.
std::vector<Vec3d> boneDirections(const JointTree& tree, double tolerance);

}  // namespace pelt::fit
