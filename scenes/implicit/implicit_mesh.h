#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>
#include <pelt/core/vec.h>

#include <functional>
#include <vector>

namespace pelt::scenes {

/// A solid given by a field: negative inside, zero on the surface, close to a distance near it. Both functions are
/// called from several threads at once.
struct ImplicitSurface {
    std::function<double(const Vec3d&)> value;
    /// The target edge length at a point of the surface if the mesh as a whole has edges of about `scale`. It must not
    /// increase as `scale` decreases, and should change slowly along the surface (a slope of 0.3 is fine).
    std::function<double(const Vec3d& point, double scale)> edge_length;
    Vec3d low, high;         ///< a bounding box of the solid
    double cell = 0.0;       ///< finer than the thinnest part and the narrowest gap: this grid determines the topology
    double slope = 1.5;      ///< an upper bound on the length of the gradient
    bool symmetric = false;  ///< the solid is mirror-symmetric in x: x >= 0 is meshed and mirrored
};

struct ImplicitMesh {
    std::vector<Vec3d> positions;
    std::vector<Triangle> triangles;  ///< counter-clockwise seen from outside
    /// For a symmetric solid: first the vertices with x > 0, then those on the plane x = 0, then the images of the
    /// first ones in the same order.
    std::size_t positive_count = 0, plane_count = 0;
    double smallest_angle = 0;  ///< over all triangles, in degrees
    double scale = 0;           ///< that gave the vertex count, an argument of edge_length
};

/// Meshes the surface with about `vertex_count` well-shaped triangles of the target sizes: marching tetrahedra, then
/// splitting, collapsing, flipping and relaxing edges on the surface [BotschKobbelt04]. The same input gives the same
/// bytes on any number of threads. Progress is reported for the stage "generate". Throws Error: bad usage if the field
/// has no surface inside the box or the surface leaves it; cancelled.
ImplicitMesh meshImplicitSurface(const ImplicitSurface& surface, std::size_t vertex_count,
                                 const Progress& progress = {});

/// The gradient of the field by differences over `step`.
Vec3d fieldGradient(const ImplicitSurface& surface, const Vec3d& point, double step = 1e-4);

}  // namespace pelt::scenes
