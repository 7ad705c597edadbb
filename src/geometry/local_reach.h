#pragma once

#include <pelt/geometry/laplacian.h>

#include <span>

namespace pelt::geometry {

/// How far implicit steps carry more than `cutoff`, in widths of the kernel of one step.
double reachOf(int iterations, double cutoff);

/// Of every edge that leads to a free vertex, in the same unit. `positions` may be empty.
std::vector<float> edgeLengths(const Laplacian& laplacian, std::span<const double> strength,
                               std::span<const Vec3f> positions);

/// The free vertices within reach of some, in no particular order. `hops` bounds the number of edges (explicit steps
/// carry no farther than one edge each).
std::vector<std::uint32_t> verticesWithin(const Laplacian& laplacian, std::span<const double> strength,
                                          std::span<const float> lengths, std::span<const std::uint32_t> from,
                                          double reach, int hops);

}  // namespace pelt::geometry
