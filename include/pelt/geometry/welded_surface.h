#pragma once

#include <pelt/geometry/laplacian.h>
#include <pelt/geometry/weld.h>

#include <memory>

namespace pelt::geometry {

/// A mesh with the copies of each point welded: the surface that smoothing works on. Make it once and pass it on.
struct WeldedSurface {
    float tolerance = 0;                            ///< used for welding
    LaplacianKind kind = LaplacianKind::cotangent;  ///< of the Laplacian
    Weld weld;
    std::vector<Vec3f> positions;     ///< per welded vertex
    std::vector<Triangle> triangles;  ///< over welded vertices
    Laplacian laplacian;
};
using SharedSurface = std::shared_ptr<const WeldedSurface>;

/// Throws Error as weldByPosition and makeLaplacian do.
SharedSurface weldSurface(const Mesh& mesh, float tolerance, LaplacianKind kind);
SharedSurface weldSurface(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                          std::span<const std::uint32_t> bodies, float tolerance, LaplacianKind kind);

/// Whether the surface can be used for a mesh with this many vertices; false for null.
bool suits(const SharedSurface& surface, std::size_t vertices, float tolerance, LaplacianKind kind);

}  // namespace pelt::geometry
