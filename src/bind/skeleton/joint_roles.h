#pragma once

#include <pelt/geometry/ray_tree.h>

#include "joint_tree.h"

namespace pelt::bind {

/// The roles of the joints of a skeleton. Vectors have one entry per joint unless stated.
struct JointRoles {
    std::vector<bool> inside;  ///< the mesh
    std::vector<bool> sheets;  ///< per tag of the tree: parts that enclose no joint
    std::vector<bool> gone;    ///< controls and markers; empty if no joint is inside the mesh
    std::vector<Vec3d> ends;   ///< where a marker puts the end of the bone, otherwise the joint's own position
    std::vector<Vec3d> ahead;  ///< as boneDirections

    bool known() const { return !gone.empty(); }
};

/// `tree` has the faces of the mesh, `diagonal` is its size. Removes joints that are gone from the lists of children.
JointRoles jointRoles(JointTree& joints, const geometry::RayTree& tree, double diagonal);

}  // namespace pelt::bind
