#pragma once

#include <pelt/core/progress.h>
#include <pelt/geometry/local_smoothing.h>

#include "ddm_rows.h"

namespace pelt::deform {

/// The welded skin as input of smoothing.
struct SmoothedSurface {
    std::vector<Vec3f> positions, normals;
    geometry::Laplacian laplacian;          ///< without ties
    std::vector<geometry::ExtraEdge> ties;  ///< between parts
    geometry::Laplacian tied;               ///< with ties; empty if there are none
    std::vector<std::uint32_t> order;       ///< of elimination; empty until it is needed

    const geometry::Laplacian& whole() const { return ties.empty() ? laplacian : tied; }
};

/// What each joint binds, ascending by welded vertex.
struct JointBind {
    std::vector<std::vector<std::uint32_t>> vertices;
    std::vector<std::vector<double>> weights;

    std::size_t jointCount() const { return vertices.size(); }
};

/// How a field is smoothed.
struct SmoothingKey {
    geometry::SmoothingKind kind = geometry::SmoothingKind::implicit;
    int iterations = -1;
    double cutoff = 0;
    bool coarse = false;           ///< on a coarser surface if that is accurate enough
    std::vector<double> strength;  ///< per welded vertex
    friend bool operator==(const SmoothingKey&, const SmoothingKey&) = default;
};

/// Ψ of every joint: ten moments about `origin`, smoothed. Fills `surface.order` if it is needed.
Field smoothMoments(SmoothedSurface& surface, const JointBind& bind, const Vec3d& origin, const SmoothingKey& key,
                    const Progress& progress);

/// w' of every joint: its weights, smoothed.
Field smoothWeights(SmoothedSurface& surface, const JointBind& bind, const SmoothingKey& key, const Progress& progress);

}  // namespace pelt::deform
