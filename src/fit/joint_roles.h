#pragma once

#include <pelt/geometry/ray_tree.h>

#include "joint_tree.h"

namespace pelt::fit {

/// What the joints of a skeleton are for. Vectors have one entry a joint unless they say otherwise.
struct JointRoles {
    std::vector<bool> inside;  ///< the mesh
    std::vector<bool> sheets;  ///< per tag of the tree: parts that wrap round no joint
    std::vector<bool> gone;    ///< those that only steer or mark a place; empty where no joint is inside the mesh
    std::vector<Vec3d> ends;   ///< where a marker says that the bone goes, the joint's own position where none does
    std::vector<Vec3d> ahead;  ///< as boneDirections

    bool known() const { return !gone.empty(); }
};

/// `tree` has the faces of the mesh, `diagonal` its size. Takes joints that are gone out of the lists of children.
JointRoles jointRoles(JointTree& joints, const geometry::RayTree& tree, double diagonal);

}  // namespace pelt::fit
