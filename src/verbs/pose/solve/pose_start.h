#pragma once

#include <pelt/verbs/pose.h>

namespace pelt::verbs {

/// The state of a character before it is posed.
struct PoseStart {
    Mesh mesh;                     ///< in the file's world: positions, triangles and parts of the character's
    Skeleton skeleton;             ///< in the file's world, as if it were bound there
    std::vector<Affine3d> locals;  ///< of its nodes
    std::vector<Affine3d> worlds;
    std::vector<Affine3d> bones;       ///< per joint slot, from the rest pose of the file to the start
    std::vector<Affine3d> file_bones;  ///< the same from the rest space that the file itself stores its mesh in
    std::vector<Vec3f> rest;           ///< vertices at rest, including the morph targets' offsets at the start
    const Clip* clip = nullptr;        ///< of the character
    double at = 0;
    bool joints_are_handles = false;  ///< a mesh without joints: each handle got one
};

/// The rest pose of the nodes, or a time of a clip. The character must outlive it; it may have no weights yet.
PoseStart startOf(const Character& character, const PoseRequest& request);

}  // namespace pelt::verbs
