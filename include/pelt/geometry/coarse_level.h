#pragma once

#include <pelt/core/progress.h>
#include <pelt/geometry/connect_parts.h>
#include <pelt/geometry/laplacian.h>

#include <optional>
#include <span>

namespace pelt::geometry {

/// Interpolates values at vertices from values at nodes: the value of vertex v is the sum of weights[k] times the value
/// of nodes[k] over k in offsets[v] .. offsets[v+1]. Weights are not negative and sum to 1.
struct Interpolation {
    std::vector<std::size_t> offsets;
    std::vector<std::uint32_t> nodes;
    std::vector<double> weights;
};

/// A coarse version of a surface on which wide smoothing gives nearly the same result. Every vertex belongs to one
/// node: a patch of the surface whose size depends on the local width of the smoothing.
struct CoarseLevel {
    std::vector<std::uint32_t> node_of;  ///< per vertex
    std::vector<Vec3f> positions;        ///< of the nodes
    Laplacian laplacian;                 ///< between them
    std::vector<double> mass;            ///< per vertex, its weight in the mean that a node starts with
    std::vector<double> strength;        ///< per node, for the same number of steps as the strengths of the vertices
    Interpolation between;               ///< back to the vertices

    std::size_t nodeCount() const { return laplacian.vertexCount(); }
};

/// For `iterations` steps of implicit cotangent smoothing; `strength` is the same as that of LocalSmoother. `ties` are
/// edges between parts that the Laplacian does not contain yet. `normals`: unit, one per vertex. nullopt if there would
/// be more nodes than a third of the vertices. Results on the coarse surface differ from those on the mesh by a few
/// thousandths of the difference between neighboring joints.
std::optional<CoarseLevel> makeCoarseLevel(const Laplacian& laplacian, std::span<const ExtraEdge> ties,
                                           std::span<const Vec3f> positions, std::span<const Vec3f> normals,
                                           std::span<const double> strength, int iterations,
                                           const Progress& progress = {});

}  // namespace pelt::geometry
