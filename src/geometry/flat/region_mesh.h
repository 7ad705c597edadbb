#pragma once

#include <pelt/core/mesh.h>

#include <span>
#include <vector>

#include "outline.h"

namespace pelt::geometry::flat {

/// How fine a mesh is, in the units of its points.
struct MeshSize {
    double edge = 1;       ///< the length of edges
    double tolerance = 0;  ///< how far the outline may be from the mesh
    double least = 0;      ///< no edge of the outline is halved below this length
};

/// The triangles of a region.
struct RegionMesh {
    std::vector<Point> points;
    std::vector<Triangle> triangles;  ///< counterclockwise
    double smallest_angle = 0;        ///< in degrees
};

/// A mesh of even triangles inside an outline: points along the outline and a lattice of points inside, refined until
/// the Delaunay triangulation of the points has the outline among its edges and no sharp corners [Ruppert95]. No mesh:
/// the loops cross each other. Throws Error (cancelled) if `progress` requests it.
std::optional<RegionMesh> meshRegion(std::span<const Loop> loops, const MeshSize& size, const Progress& progress);

}  // namespace pelt::geometry::flat
