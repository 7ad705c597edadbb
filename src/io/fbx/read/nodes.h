#pragma once

#include <pelt/core/affine.h>

#include <map>

#include "document.h"

namespace pelt::io::fbx {

/// How a node inherits its parent's scale. With column vectors, P and L the rotations, S and s the scales:
enum class Inherit {
    RrSs = 0,  ///< P·L·S·s: all rotations before all scales
    RSrs = 1,  ///< P·S·L·s: plain matrices
    Rrs = 2,   ///< P·L·s: the parent's own scale is undone (Maya's segment scale compensation)
};

/// The properties of a node that an animation may change.
struct FbxPose {
    Vec3d translation, rotation, scale{1, 1, 1};  ///< Lcl properties; rotation in degrees, by the node's order
};

/// A model: its position in the tree and the fixed parts of its local transform
///     T · Roff · Rp · Rpre · R · Rpost⁻¹ · Rp⁻¹ · Soff · Sp · S · Sp⁻¹,
/// which is always a translation, a rotation and a scale, because S is diagonal.
struct FbxNode {
    const FbxObject* object = nullptr;
    std::int32_t parent = -1;
    FbxPose rest;
    int rotation_order = 0;
    Quatd pre_rotation, post_rotation_inverse;
    Vec3d rotation_offset, rotation_pivot, scaling_offset, scaling_pivot;
    Inherit inherit = Inherit::RrSs;
    Affine3d geometric;  ///< applies to objects attached to the node, not to its children

    bool hasPivots() const;
    Trs local(const FbxPose& pose) const;
};

/// All models in depth-first order from the root, parents first, children in the file's order.
std::vector<FbxNode> readNodes(const FbxDocument& document);

/// The rotation by Euler angles in degrees; `order` as FBX numbers them (0 = XYZ: X first, then Y, then Z).
Quatd eulerRotation(const Vec3d& degrees, int order);

}  // namespace pelt::io::fbx
