#pragma once

#include <pelt/core/mesh.h>

#include <span>

namespace pelt::geometry {

/// Which vertices are the same point of the surface: copies that were split at UV or normal seams are welded.
struct Weld {
    std::vector<std::uint32_t> welded;          ///< per vertex: its welded vertex
    std::vector<std::uint32_t> representative;  ///< per welded vertex: its lowest vertex, ascending

    std::size_t count() const { return representative.size(); }
};

/// Welds vertices of equal position (float bits, -0 = 0); with a tolerance, also those within this distance (chains of
/// near vertices become one). Throws Error (bad usage) for a tolerance that is negative or not a number. `bodies`:
/// empty, or a number per vertex; vertices with different numbers are never welded.
Weld weldByPosition(std::span<const Vec3f> positions, float tolerance = 0, std::span<const std::uint32_t> bodies = {});

/// The same for a mesh, with the bodies of its parts (MeshPart::body).
Weld weldByPosition(const Mesh& mesh, float tolerance = 0);

/// Per vertex, the body of its part; empty if there is only one body.
std::vector<std::uint32_t> bodiesOf(const Mesh& mesh);

/// The triangles over welded vertices, without those that become degenerate.
std::vector<Triangle> weldedTriangles(std::span<const Triangle> triangles, const Weld& weld);

}  // namespace pelt::geometry
