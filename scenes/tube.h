#pragma once

#include <pelt/core/mesh.h>

#include <functional>

namespace pelt::scenes {

/// A closed tube: 6m vertices around it, `rows` rows of quads along it, and at each end rings of 6(m-1), …, 6, 1
/// vertices, which keep triangles nearly equilateral; a fan to a pole would give needles.
struct TubeGrid {
    std::uint32_t m = 2, rows = 1;

    std::size_t vertexCount() const;

    /// About `vertex_count` vertices; `cells_along` is the length of the side divided by the circumference.
    static TubeGrid forSize(std::size_t vertex_count, double cells_along);
};

/// Appends the tube to the mesh as a separate part. `place(u, v)` returns a position: u in [0, 1) goes around, v from
/// the center of the first end (0) to its rim (1), along the side to the other rim (2) and to the center of that end
/// (3). Faces are oriented outward if u is counterclockwise as seen against the direction of v.
void appendTube(Mesh& mesh, const char* name, const TubeGrid& grid, const std::function<Vec3d(double, double)>& place);

}  // namespace pelt::scenes
