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
    geometry::Laplacian tied;               ///< including them; empty if there are none
    std::vector<std::uint32_t> order;       ///< eliminationOrder of `whole`, once it was needed

    const geometry::Laplacian& whole() const { return ties.empty() ? laplacian : tied; }
};

/// The vertices bound to each joint, ascending by welded vertex.
struct JointBind {
    std::vector<std::vector<std::uint32_t>> vertices;
    std::vector<std::vector<double>> weights;

    std::size_t jointCount() const { return vertices.size(); }
};

/// Fewer vertices are smoothed to the last digits: there is little to gain.
constexpr std::size_t kLarge = 32768;

/// How a field is smoothed.
struct SmoothingKey {
    geometry::SmoothingKind kind = geometry::SmoothingKind::implicit;
    int iterations = -1;
    double cutoff = 0;
    bool coarse = false;           ///< to visual accuracy if the mesh is large, otherwise to full precision
    std::vector<double> strength;  ///< per welded vertex
    friend bool operator==(const SmoothingKey&, const SmoothingKey&) = default;
};

struct SmoothedFields {
    Field psi;      ///< Ψ: ten moments about the origin
    Field weights;  ///< w'
};

/// Computes, for every joint, the fields whose keys are given. `surface` keeps its order for the next call.
SmoothedFields smoothFields(SmoothedSurface& surface, const JointBind& bind, const Vec3d& origin,
                            const SmoothingKey* psi_key, const SmoothingKey* weight_key, const Progress& progress);

}  // namespace pelt::deform
