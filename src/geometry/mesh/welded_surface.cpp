// A mesh with its copies welded, as smoothing needs it.
#include <pelt/geometry/welded_surface.h>

namespace pelt::geometry {

SharedSurface weldSurface(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                          std::span<const std::uint32_t> bodies, float tolerance, LaplacianKind kind) {
    auto surface = std::make_shared<WeldedSurface>();
    surface->tolerance = tolerance;
    surface->kind = kind;
    surface->weld = weldByPosition(positions, tolerance, bodies);
    surface->positions.reserve(surface->weld.count());
    for (const std::uint32_t v : surface->weld.representative) surface->positions.push_back(positions[v]);
    surface->triangles = weldedTriangles(triangles, surface->weld);
    surface->laplacian = makeLaplacian(kind, surface->positions, surface->triangles);
    return surface;
}

SharedSurface weldSurface(const Mesh& mesh, float tolerance, LaplacianKind kind) {
    return weldSurface(mesh.positions, mesh.triangles, bodiesOf(mesh), tolerance, kind);
}

bool suits(const SharedSurface& surface, std::size_t vertices, float tolerance, LaplacianKind kind) {
    return surface && surface->weld.welded.size() == vertices && surface->tolerance == tolerance &&
           surface->kind == kind;
}

}  // namespace pelt::geometry
