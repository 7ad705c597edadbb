// The cotangent or uniform Laplacian of a mesh, row by row.
#include <pelt/geometry/laplacian.h>

#include <algorithm>

namespace pelt::geometry {
namespace {

std::size_t entryOf(const Adjacency& edges, std::uint32_t row, std::uint32_t column) {
    const auto neighbors = edges.of(row);
    return edges.offsets[row] +
           static_cast<std::size_t>(std::lower_bound(neighbors.begin(), neighbors.end(), column) - neighbors.begin());
}

/// Half the cotangent at `corner` of the triangle; 0 for one without area (or with corners that are not finite).
double halfCotangent(const Vec3d& corner, const Vec3d& a, const Vec3d& b) {
    const Vec3d u = a - corner, v = b - corner;
    const double cotangent = 0.5 * dot(u, v) / length(cross(u, v));
    return std::isfinite(cotangent) ? cotangent : 0.0;
}

void addCotangents(Laplacian& laplacian, std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
    for (const Triangle& t : triangles) {
        if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
        for (int c = 0; c < 3; ++c) {
            const std::uint32_t i = t[(c + 1) % 3], j = t[(c + 2) % 3];
            const double w = halfCotangent(Vec3d(positions[t[c]]), Vec3d(positions[i]), Vec3d(positions[j]));
            laplacian.weights[entryOf(laplacian.edges, i, j)] += w;
            laplacian.weights[entryOf(laplacian.edges, j, i)] += w;
        }
    }
    // Clamped per edge, after adding both sides: with negative weights, smoothing could leave the convex hull.
    for (double& w : laplacian.weights) w = std::max(0.0, w);
}

}  // namespace

Laplacian makeLaplacian(LaplacianKind kind, std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
    Laplacian laplacian;
    laplacian.edges = vertexAdjacency(triangles, positions.size());
    laplacian.weights.assign(laplacian.edges.neighbors.size(), kind == LaplacianKind::uniform ? 1.0 : 0.0);
    if (kind == LaplacianKind::cotangent) addCotangents(laplacian, positions, triangles);

    laplacian.diagonal.assign(positions.size(), 0.0);
    for (std::size_t v = 0; v < positions.size(); ++v) {
        for (std::size_t e = laplacian.edges.offsets[v]; e < laplacian.edges.offsets[v + 1]; ++e) {
            laplacian.diagonal[v] += laplacian.weights[e];
        }
    }
    return laplacian;
}

}  // namespace pelt::geometry
