// How far the points of a mesh may move in a simplification.
#include "lod_reach.h"

#include <pelt/core/parallel.h>
#include <pelt/geometry/adjacency.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/geometry/ray_tree.h>

#include <algorithm>

namespace pelt::verbs {
namespace {

constexpr double kFarthest = 0.025;   ///< of the diagonal
constexpr double kLeastReach = 2e-4;  ///< of the diagonal: layers that touch can still be simplified
constexpr double kOfGap = 0.4;        ///< both layers may move
constexpr double kOfPiece = 0.04;     ///< of the diagonal of the connected piece

}  // namespace

std::vector<double> lodReach(const Mesh& mesh, const geometry::Weld& weld) {
    const std::vector<Triangle> triangles = geometry::weldedTriangles(mesh.triangles, weld);
    const auto parts = geometry::connectedParts(geometry::vertexAdjacency(triangles, weld.count()));
    std::vector<Vec3d> points;
    for (const std::uint32_t v : weld.representative) points.emplace_back(mesh.positions[v]);
    std::vector<geometry::Box> boxes(parts.count, geometry::Box::none());
    for (std::size_t p = 0; p < points.size(); ++p) boxes[parts.part[p]].grow(points[p]);
    std::vector<std::uint32_t> tags;
    for (const Triangle& t : triangles) tags.push_back(parts.part[t[0]]);
    const geometry::RayTree tree(points, triangles, tags);
    const double diagonal = geometry::boundingDiagonal(mesh.positions);
    std::vector<double> reach(points.size());
    parallelFor(points.size(), kSolveGrain, [&](std::size_t first, std::size_t last) {
        std::vector<bool> others(tree.tagCount(), true);
        for (std::size_t p = first; p < last; ++p) {
            const std::uint32_t part = parts.part[p];
            double most = std::min(kFarthest * diagonal, kOfPiece * boxes[part].diagonal());
            if (part < others.size()) others[part] = false;
            if (const auto place = tree.nearest(points[p], most / kOfGap, others))
                most = std::min(most, kOfGap * place->distance);
            if (part < others.size()) others[part] = true;
            reach[p] = std::max(most, kLeastReach * diagonal);
        }
    });
    return reach;
}

}  // namespace pelt::verbs
