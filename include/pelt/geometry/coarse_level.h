#pragma once

#include <pelt/core/progress.h>
#include <pelt/geometry/connect_parts.h>
#include <pelt/geometry/laplacian.h>

#include <optional>
#include <span>

namespace pelt::geometry {

/// Values at vertices from values at nodes: vertex v is the sum of weights[k] times the value of nodes[k] over
/// k in offsets[v] .. offsets[v+1]. Weights are not negative and sum to 1.
struct Interpolation {
    std::vector<std::size_t> offsets;
    std::vector<std::uint32_t> nodes;
    std::vector<double> weights;
};

/// A coarser surface on which wide smoothing of a fine one gives nearly the same: every vertex belongs to one node, a
/// patch of surface whose size follows how wide the smoothing is there.
struct CoarseLevel {
    std::vector<std::uint32_t> node_of;  ///< per vertex
    Laplacian laplacian;                 ///< between the nodes
    std::vector<double> mass;            ///< per vertex, its share in its node: what a node starts from is their mean
    std::vector<double> strength;        ///< per node, for so many steps as the vertices' strengths are meant for
    Interpolation between;               ///< back to the vertices

    std::size_t nodeCount() const { return laplacian.vertexCount(); }
};

/// For `iterations` steps of implicit smoothing by cotangents with `strength` (as LocalSmoother takes it). `ties` are
/// edges between parts that the Laplacian does not have yet. `normals`: unit, one per vertex. nullopt where nodes would
/// not be fewer than a third of the vertices. Results on the level differ from those on the mesh by some thousandths of
/// the difference between neighboring joints.
std::optional<CoarseLevel> makeCoarseLevel(const Laplacian& laplacian, std::span<const ExtraEdge> ties,
                                           std::span<const Vec3f> positions, std::span<const Vec3f> normals,
                                           std::span<const double> strength, int iterations,
                                           const Progress& progress = {});

}  // namespace pelt::geometry
