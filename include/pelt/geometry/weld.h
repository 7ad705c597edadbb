#pragma once

#include <pelt/core/mesh.h>

#include <span>

namespace pelt::geometry {

/// Which vertices are one point of the surface. Split copies at UV or normal seams fall together.
struct Weld {
    std::vector<std::uint32_t> welded;          ///< per vertex: its welded vertex
    std::vector<std::uint32_t> representative;  ///< per welded vertex: its lowest vertex, ascending

    std::size_t count() const { return representative.size(); }
};

/// Welds vertices of equal position (float bits, -0 = 0); with a tolerance, also those no farther apart than it
/// (chains of near vertices become one). Throws Error (bad usage) for a tolerance that is negative or no number.
/// `bodies`: empty, or a number per vertex; vertices of different numbers stay apart wherever they lie.
Weld weldByPosition(std::span<const Vec3f> positions, float tolerance = 0, std::span<const std::uint32_t> bodies = {});

/// The same for a mesh, whose parts say what belongs to which body (MeshPart::body).
Weld weldByPosition(const Mesh& mesh, float tolerance = 0);

/// Per vertex, the body of its part; empty where all are of one.
std::vector<std::uint32_t> bodiesOf(const Mesh& mesh);

/// The triangles over welded vertices; those that fall together to an edge or a point are left out.
std::vector<Triangle> weldedTriangles(std::span<const Triangle> triangles, const Weld& weld);

}  // namespace pelt::geometry
