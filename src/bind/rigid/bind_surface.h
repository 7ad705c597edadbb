#pragma once

#include <pelt/geometry/adjacency.h>
#include <pelt/geometry/ray_tree.h>
#include <pelt/geometry/weld.h>

namespace pelt::bind {

/// The welded mesh as used for binding. Every connected part is oriented outwards (by its signed volume), since the
/// orientation of parts in one file often differs.
struct BindSurface {
    geometry::Weld weld;
    std::vector<Vec3d> positions;     ///< per welded vertex, as the next two
    std::vector<Vec3d> normals;       ///< unit, outwards; zero for a vertex without a face
    std::vector<Triangle> triangles;  ///< over welded vertices, oriented outwards in each part
    geometry::ConnectedParts parts;
    geometry::Adjacency adjacency;
    geometry::RayTree tree;  ///< the faces, tagged with their part
    double diagonal = 0;     ///< of the bounding box
};

BindSurface bindSurface(const Mesh& mesh);

}  // namespace pelt::bind
