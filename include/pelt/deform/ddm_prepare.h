#pragma once

#include <pelt/core/ddm_payload.h>
#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>
#include <pelt/geometry/connect_parts.h>
#include <pelt/geometry/local_smoothing.h>
#include <pelt/geometry/welded_surface.h>

#include <memory>

namespace pelt::deform {

/// Numbers for the precomputation of [LeLewis19] §3.4. Per-vertex values are λ D_λ, κ D_κ and α D_α, one per vertex of
/// the mesh; split copies of a vertex must agree (the lowest one counts).
struct DdmOptions {
    geometry::LaplacianKind laplacian = geometry::LaplacianKind::cotangent;
    geometry::SmoothingKind smoothing = geometry::SmoothingKind::implicit;
    int iterations = 20;
    std::vector<double> lambda, kappa, alpha;
    bool connect_parts = true;
    std::vector<bool> excluded;  ///< per vertex: keeps its bind; empty: none
    float weld_tolerance = 0;
    /// A joint's part in a vertex under this is dropped while smoothing; 0 keeps all that is there.
    double cutoff = 1e-7;
    /// Implicit smoothing that is wide in edges may be done on a coarser surface, with results within 1e-4 of the
    /// diagonal; where the mesh is small or the smoothing narrow it is exact all the same.
    bool coarse = false;
    /// The mesh as it is welded, where that was made before; null, or one of other numbers: made when it is needed.
    geometry::SharedSurface surface;
};

/// How `connect_parts` ties the parts for this bind, for other smoothers; indices are vertices of the mesh.
geometry::PartTies connectParts(const Mesh& rest, const SkinWeights& bind, const DdmOptions& options);

/// The precomputation in stages that are kept: Laplacian and factorisations, smoothed Ψ (λ), smoothed weights w' (κ),
/// their blend Ω (α). Asking again with other options redoes only what depends on what changed.
class DdmPreparation {
public:
    /// Throws Error (bad input) for a mesh without faces, weights that do not fit it or a vertex without weight.
    DdmPreparation(const Mesh& rest, const SkinWeights& bind);
    ~DdmPreparation();
    DdmPreparation(DdmPreparation&&) noexcept;

    /// Throws Error (bad usage) for values outside their range: λ, κ >= 0 (explicit: <= 1), 0 <= α < 1, p >= 0.
    void update(const DdmOptions& options, const Progress& progress = {});

    /// The rows of every vertex with all their joints.
    DdmRows<double> rows() const;
    /// The same with the `influences` largest joints of each vertex (0: all), renormalised.
    DdmRows<double> rows(std::size_t influences) const;
    /// The same in single precision, of all vertices or of these. Entries stay sorted where rounding makes two equal.
    DdmRows<float> rounded(std::size_t influences) const;
    DdmRows<float> rounded(std::size_t influences, std::span<const std::uint32_t> vertices) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace pelt::deform
