#include <pelt/geometry/adjacency.h>
#include <pelt/geometry/mesh_report.h>

#include <algorithm>

#include "check.h"

namespace pelt::geometry {
namespace {

// Twice the area over the squared longest side: below float rounding of the corners, a face has no area.
constexpr double kNoArea = 1e-7;

bool hasArea(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d ab = b - a, bc = c - b, ca = a - c;
    const double longest = std::max({dot(ab, ab), dot(bc, bc), dot(ca, ca)});
    return length(cross(ab, bc)) > kNoArea * longest;
}

std::size_t countZeroArea(const Mesh& mesh, const Weld& weld) {
    const auto corner = [&](std::uint32_t v) { return Vec3d(mesh.positions[weld.representative[weld.welded[v]]]); };
    return std::count_if(mesh.triangles.begin(), mesh.triangles.end(),
                         [&](const Triangle& t) { return !hasArea(corner(t[0]), corner(t[1]), corner(t[2])); });
}

/// Removes faces with the same three vertices as another, whatever their orientation; returns their number.
std::size_t dropDuplicates(std::vector<Triangle>& triangles) {
    for (Triangle& t : triangles) std::sort(t.begin(), t.end());
    std::sort(triangles.begin(), triangles.end());
    const auto last = std::unique(triangles.begin(), triangles.end());
    const auto dropped = static_cast<std::size_t>(triangles.end() - last);
    triangles.erase(last, triangles.end());
    return dropped;
}

void countEdges(std::span<const Triangle> triangles, MeshReport& report) {
    std::vector<std::array<std::uint32_t, 2>> edges;
    edges.reserve(triangles.size() * 3);
    for (const Triangle& t : triangles) {  // corners are sorted
        edges.push_back({t[0], t[1]});
        edges.push_back({t[1], t[2]});
        edges.push_back({t[0], t[2]});
    }
    std::sort(edges.begin(), edges.end());
    for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
        while (last < edges.size() && edges[last] == edges[first]) ++last;
        report.boundary_edges += last - first == 1;
        report.non_manifold_edges += last - first > 2;
    }
}

}  // namespace

MeshReport inspectMesh(const Mesh& mesh, const Weld& weld) {
    checkTriangles(mesh.triangles, mesh.vertexCount());
    MeshReport report;
    report.welded_vertices = weld.count();

    std::vector<std::uint32_t> copies(weld.count(), 0);
    for (const std::uint32_t w : weld.welded) ++copies[w];
    for (const std::uint32_t count : copies) report.seam_vertices += count > 1 ? count : 0;

    report.zero_area_faces = countZeroArea(mesh, weld);
    std::vector<Triangle> triangles = weldedTriangles(mesh.triangles, weld);
    report.duplicate_faces = dropDuplicates(triangles);
    countEdges(triangles, report);

    const Adjacency adjacency = vertexAdjacency(triangles, weld.count());
    for (std::size_t v = 0; v < weld.count(); ++v) report.isolated_vertices += adjacency.of(v).empty();
    report.connected_parts = connectedParts(adjacency).count - report.isolated_vertices;
    return report;
}

}  // namespace pelt::geometry
