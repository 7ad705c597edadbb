#pragma once

#include <pelt/bind/bounded_biharmonic.h>
#include <pelt/geometry/tets.h>

namespace pelt::bind::bbw {

/// The vertices nearest to the samples along a segment, every half of `edge`, the usual edge length. Samples farther
/// than `reach` from all vertices lie outside the shape and hold nothing, unless all do: then the segment holds the
/// vertex nearest to it. Vertices at equal distance are all held, so that symmetric shapes stay symmetric.
void holdSegment(std::span<const Vec3d> vertices, double edge, double reach, const BiharmonicHandle::Segment& segment,
                 std::vector<std::uint32_t>& held);

/// The vertex nearest to the point, the first on ties.
std::uint32_t nearestVertex(std::span<const Vec3d> vertices, const Vec3d& point);

/// The mean length of the edges.
double meanEdge(std::span<const Vec3d> vertices, const geometry::Adjacency& edges);

}  // namespace pelt::bind::bbw
