#pragma once

#include <pelt/geometry/laplacian.h>

#include <span>

namespace pelt::geometry {

/// The distance at which the effect of implicit steps falls below `cutoff`, in widths of the kernel of one step.
double reachOf(int iterations, double cutoff);

/// The length of every edge that leads to a free vertex, in the same unit. `positions` may be empty.
std::vector<float> edgeLengths(const Laplacian& laplacian, std::span<const double> strength,
                               std::span<const Vec3f> positions);

/// The free vertices within reach of the given ones, in no particular order. `hops` limits the number of edges (an
/// explicit step reaches no farther than one edge).
std::vector<std::uint32_t> verticesWithin(const Laplacian& laplacian, std::span<const double> strength,
                                          std::span<const float> lengths, std::span<const std::uint32_t> from,
                                          double reach, int hops);

}  // namespace pelt::geometry
