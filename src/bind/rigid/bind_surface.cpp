// The welded mesh that binding works on, with every part oriented outward.
#include "bind_surface.h"

#include <algorithm>

namespace pelt::bind {
namespace {

std::vector<Vec3d> weldedPositions(const Mesh& mesh, const geometry::Weld& weld) {
    std::vector<Vec3d> positions(weld.count());
    for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = Vec3d(mesh.positions[weld.representative[v]]);
    return positions;
}

/// Flips the faces of every part whose signed volume is negative (measured about its center, so that an open part
/// counts by its bulge).
void turnOutwards(std::span<const Vec3d> positions, const geometry::ConnectedParts& parts,
                  std::vector<Triangle>& triangles) {
    std::vector<Vec3d> centers(parts.count);
    std::vector<double> sizes(parts.count, 0), volumes(parts.count, 0);
    for (std::size_t v = 0; v < positions.size(); ++v) {
        centers[parts.part[v]] += positions[v];
        sizes[parts.part[v]] += 1;
    }
    for (std::size_t p = 0; p < centers.size(); ++p) centers[p] = centers[p] / sizes[p];
    for (const Triangle& t : triangles) {
        const std::uint32_t p = parts.part[t[0]];
        volumes[p] +=
            dot(positions[t[0]] - centers[p], cross(positions[t[1]] - centers[p], positions[t[2]] - centers[p]));
    }
    for (Triangle& t : triangles)
        if (volumes[parts.part[t[0]]] < 0) std::swap(t[1], t[2]);
}

/// Face normals weighted by the angle of each corner.
std::vector<Vec3d> outwardNormals(std::span<const Vec3d> positions, std::span<const Triangle> triangles) {
    std::vector<Vec3d> normals(positions.size());
    for (const Triangle& t : triangles) {
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3d a = positions[t[(k + 1) % 3]] - positions[t[k]],
                        b = positions[t[(k + 2) % 3]] - positions[t[k]];
            const Vec3d normal = cross(a, b);
            normals[t[k]] += normalized(normal) * std::atan2(length(normal), dot(a, b));
        }
    }
    for (Vec3d& n : normals) n = normalized(n);
    return normals;
}

}  // namespace

BindSurface bindSurface(const Mesh& mesh) {
    geometry::Weld weld = geometry::weldByPosition(mesh);
    std::vector<Vec3d> positions = weldedPositions(mesh, weld);
    std::vector<Triangle> triangles = geometry::weldedTriangles(mesh.triangles, weld);
    geometry::Adjacency adjacency = geometry::vertexAdjacency(triangles, weld.count());
    geometry::ConnectedParts parts = geometry::connectedParts(adjacency);
    turnOutwards(positions, parts, triangles);
    std::vector<std::uint32_t> tags;
    tags.reserve(triangles.size());
    for (const Triangle& t : triangles) tags.push_back(parts.part[t[0]]);
    geometry::RayTree tree(positions, triangles, tags);
    std::vector<Vec3d> normals = outwardNormals(positions, triangles);
    const double diagonal = geometry::boundingBox(positions).diagonal();
    return {std::move(weld),  std::move(positions), std::move(normals), std::move(triangles),
            std::move(parts), std::move(adjacency), std::move(tree),    diagonal};
}

}  // namespace pelt::bind
