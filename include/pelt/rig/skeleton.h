#pragma once

#include <pelt/core/affine.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pelt {

/// A node of the hierarchy that moves the skin: a joint, or an ancestor of one.
struct SkeletonNode {
    std::string name;
    std::int32_t parent = -1;        ///< index into Skeleton::nodes, -1 for a root; parents come before children
    Trs local;                       ///< rest transform to the parent's space
    std::optional<Affine3d> matrix;  ///< replaces `local` if the file has a matrix (it may shear)
    std::string human{};             ///< the bone of a human that it is, as VRM 1 names it ("leftHand"), if known
};

/// A slot that skin weights refer to. If two skins bind the same node differently, it has two slots.
struct Joint {
    std::uint32_t node = 0;
    Affine3d inverse_bind;  ///< rest space to the joint's space
};

struct Skeleton {
    std::vector<SkeletonNode> nodes;
    std::vector<Joint> joints;
};

namespace rig {

/// The local transform of a node at rest.
Affine3d restLocal(const SkeletonNode& node);

/// Translation, rotation and scale of a map; its shear is left out. A mirrored map gets a negative scale on the first
/// axis; an axis that the map collapses has scale 0.
Trs trsOf(const Affine3d& a);

/// Root-space transforms of the nodes in the bind pose. Nodes without a slot keep their rest transform relative to
/// their parent.
std::vector<Affine3d> bindWorlds(const Skeleton& skeleton);

/// Root-space transforms of all nodes from their local ones; both spans have one entry per node.
void worldTransforms(const Skeleton& skeleton, std::span<const Affine3d> local, std::span<Affine3d> world);

/// Per joint slot, the map from rest space to posed space that local transforms (one per node) give.
std::vector<Affine3d> skinMatricesOf(const Skeleton& skeleton, std::span<const Affine3d> local);

/// Per joint slot, the slot of its nearest ancestor that is a joint, or -1. If a node has several slots, the first one
/// is used.
std::vector<std::int32_t> jointParents(const Skeleton& skeleton);

/// The position of each joint in the bind pose (rest space): the point that its inverse bind matrix maps to the origin.
std::vector<Vec3d> jointRestPositions(const Skeleton& skeleton);

const std::string& jointName(const Skeleton& skeleton, std::size_t joint);

/// The first slot of that name, or nullopt.
std::optional<std::size_t> findJoint(const Skeleton& skeleton, std::string_view name);

/// The message for a name that findJoint does not find: "no joint 'hnad_L'; did you mean 'hand_L'?", or a list of the
/// joints.
std::string noSuchJoint(const Skeleton& skeleton, std::string_view name);

}  // namespace rig
}  // namespace pelt
