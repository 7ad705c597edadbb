// Closed tubes made of rings.
#include "tube.h"

#include <algorithm>

namespace pelt::scenes {
namespace {

struct Ring {
    std::uint32_t first, count;
};

/// Triangles between two rings of any counts: always advance on the ring whose next vertex comes first.
void zip(std::vector<Triangle>& triangles, const Ring& lower, const Ring& upper) {
    const std::uint32_t low_edges = lower.count == 1 ? 0 : lower.count, high_edges = upper.count == 1 ? 0 : upper.count;
    const auto low = [&](std::uint32_t i) { return lower.first + i % lower.count; };
    const auto high = [&](std::uint32_t j) { return upper.first + j % upper.count; };
    for (std::uint32_t i = 0, j = 0; i < low_edges || j < high_edges;) {
        const bool advance_low = j == high_edges || (i < low_edges && (i + 1) * high_edges <= (j + 1) * low_edges);
        if (advance_low) {
            triangles.push_back({low(i), low(i + 1), high(j)});
            ++i;
        } else {
            triangles.push_back({low(i), high(j + 1), high(j)});
            ++j;
        }
    }
}

std::uint64_t capCount(std::uint64_t m) { return 1 + 3 * m * (m + 1); }

}  // namespace

std::size_t TubeGrid::vertexCount() const { return 2 * capCount(m) + 6 * std::size_t(m) * (rows - 1); }

TubeGrid TubeGrid::forSize(std::size_t vertex_count, double cells_along) {
    // With square cells there are 6m cells_along rows: 6 m^2 in the ends and 36 m^2 cells_along on the side.
    TubeGrid grid;
    const double ideal = std::sqrt(double(vertex_count) / (6 + 36 * cells_along));
    grid.m = static_cast<std::uint32_t>(std::max(2.0, std::round(ideal)));
    const double side = double(vertex_count) - double(2 * capCount(grid.m));
    const double fitting = 1 + side / (6.0 * grid.m), square = 6.0 * grid.m * cells_along;
    // The number of rows compensates the rounding of m, as long as the cells stay well shaped.
    grid.rows = static_cast<std::uint32_t>(std::lround(std::clamp(fitting, 0.6 * square, 1.6 * square)));
    grid.rows |= 1;  // odd: the middle of a bar lies between two rings, so that no ring is divided between two bones
    return grid;
}

void appendTube(Mesh& mesh, const char* name, const TubeGrid& grid, const std::function<Vec3d(double, double)>& place) {
    MeshPart part;
    part.name = name;
    part.first_vertex = static_cast<std::uint32_t>(mesh.positions.size());
    part.first_triangle = static_cast<std::uint32_t>(mesh.triangles.size());

    std::vector<Ring> rings;
    const auto addRing = [&](std::uint32_t count, double v) {
        rings.push_back({static_cast<std::uint32_t>(mesh.positions.size()), count});
        for (std::uint32_t i = 0; i < count; ++i) mesh.positions.push_back(Vec3f(place(double(i) / count, v)));
    };
    for (std::uint32_t k = 0; k <= grid.m; ++k) addRing(std::max(1u, 6 * k), double(k) / grid.m);
    for (std::uint32_t r = 1; r < grid.rows; ++r) addRing(6 * grid.m, 1 + double(r) / grid.rows);
    for (std::uint32_t k = grid.m + 1; k-- > 0;) addRing(std::max(1u, 6 * k), 3 - double(k) / grid.m);
    for (std::size_t r = 0; r + 1 < rings.size(); ++r) zip(mesh.triangles, rings[r], rings[r + 1]);

    part.vertex_count = static_cast<std::uint32_t>(mesh.positions.size()) - part.first_vertex;
    part.triangle_count = static_cast<std::uint32_t>(mesh.triangles.size()) - part.first_triangle;
    mesh.parts.push_back(std::move(part));
}

}  // namespace pelt::scenes
