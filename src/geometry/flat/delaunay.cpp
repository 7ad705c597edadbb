// The Delaunay triangulation of points in a plane, as the dual of Boost.Polygon's Voronoi diagram.
#include "delaunay.h"

#include <algorithm>
#include <boost/polygon/voronoi.hpp>
#include <cstdint>

namespace pelt::geometry::flat {
namespace {

using GridPoint = boost::polygon::point_data<std::int32_t>;

/// The diagram's predicates are exact on a grid of integers.
std::vector<GridPoint> onGrid(std::span<const Point> points) {
    Point low = points.front(), high = points.front();
    for (const Point& p : points) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    const double extent = std::max({high.x - low.x, high.y - low.y, 1e-300}), scale = double(1 << 28) / extent;
    std::vector<GridPoint> grid;
    grid.reserve(points.size());
    for (const Point& p : points)
        grid.emplace_back(std::int32_t(std::lround((p.x - low.x) * scale)),
                          std::int32_t(std::lround((p.y - low.y) * scale)));
    return grid;
}

}  // namespace

std::vector<Triangle> delaunay(std::span<const Point> points) {
    std::vector<Triangle> triangles;
    if (points.size() < 3) return triangles;
    const std::vector<GridPoint> grid = onGrid(points);
    boost::polygon::voronoi_diagram<double> diagram;
    boost::polygon::construct_voronoi(grid.begin(), grid.end(), &diagram);
    triangles.reserve(diagram.num_vertices());
    std::vector<std::uint32_t> around;
    for (const auto& vertex : diagram.vertices()) {
        around.clear();
        const auto* edge = vertex.incident_edge();
        do {
            around.push_back(std::uint32_t(edge->cell()->source_index()));
            edge = edge->rot_next();
        } while (edge != vertex.incident_edge());
        // More than three points on one circle form a polygon, which any fan of triangles fills.
        for (std::size_t i = 2; i < around.size(); ++i) {
            Triangle t = {around[0], around[i - 1], around[i]};
            const double area = turn(points[t[0]], points[t[1]], points[t[2]]);
            if (area < 0) std::swap(t[1], t[2]);
            if (area != 0) triangles.push_back(t);
        }
    }
    return triangles;
}

}  // namespace pelt::geometry::flat
