#pragma once

#include <pelt/geometry/adjacency.h>
#include <pelt/geometry/ray_tree.h>
#include <pelt/geometry/weld.h>

namespace pelt::fit {

/// The welded mesh as binding looks at it. Every connected part is turned right side out (by its signed volume), since
/// parts of one file often disagree.
struct BindSurface {
    geometry::Weld weld;
    std::vector<Vec3d> positions;     ///< per welded vertex, as the next two
    std::vector<Vec3d> normals;       ///< unit, outwards; zero for a vertex without a face
    std::vector<Triangle> triangles;  ///< over welded vertices, those of each part looking outwards
    geometry::ConnectedParts parts;
    geometry::Adjacency adjacency;
    geometry::RayTree tree;  ///< the faces, tagged with their part
    double diagonal = 0;     ///< of the bounding box
};

BindSurface bindSurface(const Mesh& mesh);

}  // namespace pelt::fit
